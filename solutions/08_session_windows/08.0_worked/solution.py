"""The worked example: page views in sessions with a gap of a minute, two minutes of patience."""

from pyspark.sql import DataFrame
from pyspark.sql import functions as F


def example(pages: DataFrame) -> DataFrame:
    return (
        pages.withWatermark("time", "2 minutes")
        .groupBy(F.session_window("time", "1 minute"), "user")
        .agg(F.count("*").alias("pages"))
    )
