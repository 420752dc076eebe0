"""The worked example: clicks in windows of five minutes, two minutes of patience."""

from pyspark.sql import DataFrame
from pyspark.sql import functions as F


def example(clicks: DataFrame) -> DataFrame:
    return (
        clicks.withWatermark("event_time", "2 minutes")
        .groupBy(F.window("event_time", "5 minutes"))
        .agg(F.count("*").alias("clicks"))
    )
