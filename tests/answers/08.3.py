"""Answers to 08.3: sessions of a device and a user, told once."""

from typing import Any

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql.streaming.readwriter import DataStreamWriter


def _to_sessions_topic(sessions: DataFrame, kafka: Any) -> DataStreamWriter:
    columns = F.struct("device", "user", "began", "last_tap", "taps")
    value = F.to_json(columns, {"ignoreNullFields": "false"})
    return (
        sessions.select(F.col("device").alias("key"), value.alias("value"))
        .writeStream.format("kafka")
        .option("kafka.bootstrap.servers", kafka.bootstrap_servers)
        .option("topic", kafka.topic("sessions"))
    )


def _told() -> list:
    return [
        F.min("event_time").alias("began"),
        F.max("event_time").alias("last_tap"),
        F.count("*").alias("taps"),
    ]


def right_guests_given_a_name_and_back(taps: DataFrame, kafka: Any) -> DataStreamWriter:
    """Calls guests '' while it groups, and null again before it tells; sets a trigger and a name

    Right: all guests on one device are one user, and user is null in what comes out.
    """
    sessions = (
        taps.withColumn("who", F.coalesce("user", F.lit("")))
        .withWatermark("event_time", "10 minutes")
        .groupBy("device", "who", F.session_window("event_time", "1800 seconds"))
        .agg(*_told())
        .withColumn("user", F.nullif("who", F.lit("")))
    )
    return (
        _to_sessions_topic(sessions, kafka)
        .outputMode("Append")
        .queryName("device_sessions")
        .trigger(availableNow=True)
    )


def right_device_and_user_in_a_struct(taps: DataFrame, kafka: Any) -> DataStreamWriter:
    """Groups by one struct of device and user, and takes the last tap off the session's end

    Right: a struct of two is both.
    """
    gap = F.expr("INTERVAL 30 MINUTES")
    sessions = (
        taps.select("event_time", F.struct("device", "user").alias("whose"))
        .withWatermark("event_time", "10 minutes")
        .groupBy("whose", F.session_window("event_time", "30 minutes"))
        .count()
        .select(
            "whose.*",
            F.col("session_window.start").alias("began"),
            (F.col("session_window.end") - gap).alias("last_tap"),
            F.col("count").alias("taps"),
        )
    )
    return _to_sessions_topic(sessions, kafka)


def right_gap_as_a_column(taps: DataFrame, kafka: Any) -> DataStreamWriter:
    """Renames the time first, has the gap as a column, a part of the key by its key without null

    Right: whether somebody is a guest says no more than the user itself.
    """
    sessions = (
        taps.withColumnRenamed("event_time", "at")
        .withWatermark("at", "10 minutes")
        .withColumn("gap", F.lit("30 minutes"))
        .withColumn("guest", F.isnull("user"))
        .groupBy(F.session_window("at", F.col("gap")), "device", "user", "guest")
        .agg(F.sum(F.lit(1)).alias("taps"), F.max("at").alias("last_tap"))
        .withColumn("began", F.col("session_window.start"))
    )
    return _to_sessions_topic(sessions, kafka).outputMode("append")


def wrong_guests_of_all_devices_together(taps: DataFrame, kafka: Any) -> DataStreamWriter:
    """Makes one key of device and user with concat, which is null for every guest

    Wrong: guests of all devices are one group ("a session belongs to one device and one user").
    """
    sessions = (
        taps.withWatermark("event_time", "10 minutes")
        .withColumn("whose", F.concat("device", F.lit("/"), "user"))
        .groupBy(F.session_window("event_time", "30 minutes"), "whose")
        .agg(F.first("device").alias("device"), F.first("user").alias("user"), *_told())
    )
    return _to_sessions_topic(sessions, kafka).outputMode("append")


def wrong_only_the_mode_mended(taps: DataFrame, kafka: Any) -> DataStreamWriter:
    """Repairs the first complaint only: append mode, all else as it was

    Wrong: ben's taps are told under ana's name, and last_tap is half an hour late. Two mistakes:
    """
    sessions = (
        taps.withWatermark("event_time", "10 minutes")
        .groupBy(F.session_window("event_time", "30 minutes"), "device")
        .agg(F.min_by("user", "event_time").alias("user"), F.count("*").alias("taps"))
        .withColumn("began", F.col("session_window.start"))
        .withColumn("last_tap", F.col("session_window.end"))
    )
    return _to_sessions_topic(sessions, kafka).outputMode("append")


def wrong_delay_taken_off_the_end(taps: DataFrame, kafka: Any) -> DataStreamWriter:
    """Takes the ten minutes of the watermark off the session's end, not the gap

    Wrong: every last_tap is twenty minutes too late. (end_taken_for_the_last_tap says half an hour;
    """
    sessions = (
        taps.withWatermark("event_time", "10 minutes")
        .groupBy(F.session_window("event_time", "30 minutes"), "device", "user")
        .agg(F.count("*").alias("taps"))
        .withColumn("began", F.col("session_window.start"))
        .withColumn("last_tap", F.col("session_window.end") - F.expr("INTERVAL 10 MINUTES"))
    )
    return _to_sessions_topic(sessions, kafka).outputMode("append")


def wrong_half_a_second_more_of_silence(taps: DataFrame, kafka: Any) -> DataStreamWriter:
    """Adds half a second to the gap

    Wrong: a tap 30 minutes and 400 ms after the one before is another session.
    """
    sessions = (
        taps.withWatermark("event_time", "10 minutes")
        .groupBy(F.session_window("event_time", "1800 seconds 500 milliseconds"), "device", "user")
        .agg(*_told())
    )
    return _to_sessions_topic(sessions, kafka).outputMode("append")


def wrong_guests_left_out_at_the_end(taps: DataFrame, kafka: Any) -> DataStreamWriter:
    """Leaves out sessions whose user is empty after the grouping, and null goes with them

    Wrong: guests have sessions, too.
    """
    sessions = (
        taps.withWatermark("event_time", "10 minutes")
        .groupBy(F.session_window("event_time", "30 minutes"), "device", "user")
        .agg(*_told())
        .where(F.col("user") != "")
    )
    return _to_sessions_topic(sessions, kafka).outputMode("append")


def wrong_sessions_added_up_again(taps: DataFrame, kafka: Any) -> DataStreamWriter:
    """Groups the sessions once more by device and user, to tell each once

    Wrong: Spark refuses append mode for a second grouping without time.
    """
    sessions = (
        taps.withWatermark("event_time", "10 minutes")
        .groupBy(F.session_window("event_time", "30 minutes"), "device", "user")
        .agg(*_told())
        .groupBy("device", "user")
        .agg(
            F.min("began").alias("began"),
            F.max("last_tap").alias("last_tap"),
            F.sum("taps").alias("taps"),
        )
    )
    return _to_sessions_topic(sessions, kafka).outputMode("append")


def _sent(rows: DataFrame, kafka: Any, topic: str, key: str | None = None) -> DataStreamWriter:
    value = F.to_json(F.struct("*"), {"ignoreNullFields": "false"}).alias("value")
    columns = [F.col(key).alias("key"), value] if key else [value]
    writer = rows.select(*columns).writeStream.format("kafka")
    writer = writer.option("kafka.bootstrap.servers", kafka.bootstrap_servers)
    return writer.option("topic", kafka.topic(topic))


def _taps_of(taps: DataFrame, user: Column) -> DataFrame:
    late = taps.withColumn("user", user).withWatermark("event_time", "10 minutes")
    sessions = late.groupBy(F.session_window("event_time", "30 minutes"), "device", "user")
    told = sessions.agg(
        F.min("event_time").alias("began"),
        F.max("event_time").alias("last_tap"),
        F.count("*").alias("taps"),
    )
    return told.select("device", "user", "began", "last_tap", "taps")


def wrong_guests_by_a_name(taps: DataFrame, kafka: Any) -> DataStreamWriter:
    """Guests by a name."""
    told = _taps_of(taps, F.coalesce("user", F.lit("guest")))
    return _sent(told, kafka, "sessions", key="device").outputMode("append")


def wrong_the_user_is_the_key(taps: DataFrame, kafka: Any) -> DataStreamWriter:
    """The user is the key."""
    told = _taps_of(taps, F.col("user"))
    return _sent(told, kafka, "sessions", key="user").outputMode("append")
