"""Other right answers to the leak."""

from pyspark.sql import DataFrame
from pyspark.sql import functions as F


def event_time_in_the_key(clicks: DataFrame) -> DataFrame:
    """Deduplicates on id and event time: right here, since a click that is sent again keeps its time."""
    return (
        clicks.withWatermark("event_time", "10 minutes")
        .dropDuplicates(["event_id", "event_time"])
        .groupBy("page", F.window("event_time", "60 minutes").alias("w"))
        .count()
        .selectExpr("page", "w.start AS hour", "`count` AS clicks")
    )


def in_sql(clicks: DataFrame) -> DataFrame:
    """Counts in SQL behind the watermark and the deduplication; the window's start is taken there."""
    once = clicks.withWatermark("event_time", "600 seconds").dropDuplicatesWithinWatermark(
        ["event_id"]
    )
    once.createOrReplaceTempView("once")
    return clicks.sparkSession.sql(
        "SELECT window.start AS hour, page, count(*) AS clicks FROM once "
        "GROUP BY window(event_time, '1 hour'), page"
    )
