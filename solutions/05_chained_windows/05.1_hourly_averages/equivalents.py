"""Other right ways to chain the two windows."""

from pyspark.sql import DataFrame
from pyspark.sql import functions as F


def by_window_time(events: DataFrame) -> DataFrame:
    """Turns the inner window into a timestamp with window_time before grouping again."""
    counts = (
        events.withWatermark("event_time", "1 minute")
        .groupBy(F.window("event_time", "10 minutes").alias("ten"), "user_id")
        .agg(F.count(F.lit(1)).alias("n"))
    )
    return (
        counts.withColumn("at", F.window_time("ten"))
        .groupBy("user_id", F.window("at", "1 hour"))
        .agg((F.sum("n") / F.count("n")).alias("average"))
    )


def in_sql(events: DataFrame) -> DataFrame:
    """Says the same in SQL, with a subquery for the inner counts."""
    events.withWatermark("event_time", "1 minute").createOrReplaceTempView("timed_events")
    return events.sparkSession.sql(
        """
        SELECT window(ten, '1 hour') AS window, user_id, avg(n) AS average
        FROM (
            SELECT window(event_time, '10 minutes') AS ten, user_id, count(*) AS n
            FROM timed_events
            GROUP BY window(event_time, '10 minutes'), user_id
        )
        GROUP BY window(ten, '1 hour'), user_id
        """
    )
