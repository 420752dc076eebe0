"""The query whose checkpoint is read: visits to the shop, emitted when they are final."""

from pyspark.sql import DataFrame
from pyspark.sql import functions as F


def subject(pages: DataFrame) -> DataFrame:
    return (
        pages.withWatermark("time", "10 minutes")
        .groupBy(F.session_window("time", "5 minutes"), "user")
        .agg(F.count("*").alias("pages"))
    )
