"""The query whose checkpoint is read: it emits long-read pages, and counts all pages."""

from pyspark.sql import DataFrame
from pyspark.sql import functions as F


def subject(clicks: DataFrame) -> DataFrame:
    return (
        clicks.dropDuplicates(["event_id"])
        .groupBy("page")
        .agg(F.avg("seconds").alias("avg_seconds"))
        .where("avg_seconds >= 20")
    )
