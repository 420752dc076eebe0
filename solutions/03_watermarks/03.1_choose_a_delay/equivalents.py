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


def in_sql(clicks: DataFrame) -> DataFrame:
    """The count written in SQL, the delay given as an interval of the form minutes and seconds."""
    clicks.withWatermark("event_time", "0 minutes 10 seconds").createOrReplaceTempView("clicks")
    return clicks.sparkSession.sql(
        "SELECT window(event_time, '1 minute') AS window, COUNT(*) AS clicks FROM clicks "
        "GROUP BY window(event_time, '1 minute')"
    )
