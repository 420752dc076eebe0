"""Other right repairs."""

from typing import Any

from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql.streaming.readwriter import DataStreamWriter


def _to_topic(sessions: DataFrame, kafka: Any) -> DataStreamWriter:
    columns = F.struct("device", "user", "began", "last_tap", "taps")
    value = F.to_json(columns, {"ignoreNullFields": "false"})
    return (
        sessions.select(F.col("device").alias("key"), value.alias("value"))
        .writeStream.format("kafka")
        .option("kafka.bootstrap.servers", kafka.bootstrap_servers)
        .option("topic", kafka.topic("sessions"))
    )


def from_the_edges(taps: DataFrame, kafka: Any) -> DataStreamWriter:
    """Takes both times from the session's edges, the gap taken off; sets no mode, and that is append."""
    window = F.col("session_window")
    sessions = (
        taps.withWatermark("event_time", "10 minutes")
        .groupBy("user", "device", F.session_window("event_time", "30 minutes"))
        .agg(F.count("event_time").alias("taps"))
        .select(
            "device",
            "user",
            window["start"].alias("began"),
            (window["end"] - F.expr("INTERVAL 30 MINUTES")).alias("last_tap"),
            "taps",
        )
    )
    return _to_topic(sessions, kafka)


def in_sql(taps: DataFrame, kafka: Any) -> DataStreamWriter:
    """Says the same in SQL."""
    taps.withWatermark("event_time", "10 minutes").createOrReplaceTempView("timed_taps")
    sessions = taps.sparkSession.sql(
        """
        SELECT device, user, min(event_time) AS began, max(event_time) AS last_tap, count(*) AS taps
        FROM timed_taps
        GROUP BY session_window(event_time, '30 minutes'), device, user
        """
    )
    return _to_topic(sessions, kafka).outputMode("append")
