"""Other right ways to tell visits apart."""

from pyspark.sql import DataFrame
from pyspark.sql import functions as F


def gap_as_a_column(events: DataFrame) -> DataFrame:
    """Makes the gap a column of its own first, with a CASE, and counts the times."""
    return (
        events.withWatermark("event_time", "10 minutes")
        .withColumn(
            "gap",
            F.expr(
                "CASE event_type WHEN 1 THEN '5 seconds' WHEN 2 THEN '20 seconds' "
                "ELSE '300 seconds' END"
            ),
        )
        .groupBy("user_id", F.session_window("event_time", F.col("gap")))
        .agg(F.count("event_time").alias("events"))
    )


def in_sql(events: DataFrame) -> DataFrame:
    """Says the same in SQL."""
    events.withWatermark("event_time", "10 minutes").createOrReplaceTempView("timed_events")
    return events.sparkSession.sql(
        """
        SELECT session_window, user_id, count(*) AS events
        FROM timed_events
        GROUP BY user_id, session_window(event_time,
            CASE WHEN event_type = 1 THEN '5 seconds'
                 WHEN event_type = 2 THEN '20 seconds'
                 ELSE '5 minutes' END)
        """
    )
