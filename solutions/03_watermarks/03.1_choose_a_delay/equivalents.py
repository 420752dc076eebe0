"""Other right answers to the choice of a delay."""

from pyspark.sql import DataFrame
from pyspark.sql import functions as F


def _with_delay(clicks: DataFrame, delay: str) -> DataFrame:
    return (
        clicks.withWatermark("event_time", delay)
        .groupBy(F.window("event_time", "1 minute"))
        .agg(F.count("*").alias("clicks"))
    )


def in_milliseconds(clicks: DataFrame) -> DataFrame:
    """The same ten seconds in another unit."""
    return _with_delay(clicks, "10000 milliseconds")


def as_an_interval(clicks: DataFrame) -> DataFrame:
    """The delay written as SQL writes it, and the clicks counted by groupBy().count()."""
    late = clicks.withWatermark("event_time", "interval 10 seconds")
    counts = late.groupBy(F.window("event_time", "1 minute")).count()
    return counts.withColumnRenamed("count", "clicks")
