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


def unrounded(clicks: DataFrame) -> DataFrame:
    """The nine seconds themselves: not rounded up, and nothing comes out otherwise."""
    return _with_delay(clicks, "9 seconds")


def a_little_more(clicks: DataFrame) -> DataFrame:
    """A little more than ten seconds: no click is lost and no row comes later for it."""
    return _with_delay(clicks, "12 seconds")
