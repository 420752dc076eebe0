"""Repairs after which sessions are rejected, repeated, or mixed up."""

from typing import Any

from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql.streaming.readwriter import DataStreamWriter


def _to_topic(sessions: DataFrame, kafka: Any, mode: str = "append") -> DataStreamWriter:
    columns = F.struct("device", "user", "began", "last_tap", "taps")
    value = F.to_json(columns, {"ignoreNullFields": "false"})
    return (
        sessions.select(F.col("device").alias("key"), value.alias("value"))
        .writeStream.format("kafka")
        .option("kafka.bootstrap.servers", kafka.bootstrap_servers)
        .option("topic", kafka.topic("sessions"))
        .outputMode(mode)
    )


def _sessions(taps: DataFrame, delay: str = "10 minutes") -> DataFrame:
    return (
        taps.withWatermark("event_time", delay)
        .groupBy(F.session_window("event_time", "30 minutes"), "device", "user")
        .agg(
            F.min("event_time").alias("began"),
            F.max("event_time").alias("last_tap"),
            F.count("*").alias("taps"),
        )
    )


def still_in_update_mode(taps: DataFrame, kafka: Any) -> DataStreamWriter:
    """Output mode that Spark rejects for sessions

    Spark rejected the query before it read a tap. It rejects sessions in update mode: a session that grows or
    merges has a new start or end, so no old row has its key. It also rejects append mode if nothing says when a
    session is final. Then withWatermark is missing before groupBy, or is on another column than session_window, or
    the grouping has no session window. Which mode emits a session once, and what tells Spark that the session is
    final?
    """
    return _to_topic(_sessions(taps), kafka, "update")


def told_again_and_again(taps: DataFrame, kafka: Any) -> DataStreamWriter:
    """Complete mode: every session is written again

    The topic got the same sessions again and again, unfinished ones too, and none is ever evicted. Complete mode
    runs with sessions, and writes the whole result each time, so it keeps the whole result. Which mode emits each
    session once?
    """
    return _to_topic(_sessions(taps), kafka, "complete")


def one_session_per_device(taps: DataFrame, kafka: Any) -> DataStreamWriter:
    """Device as the only key: users share a session

    Taps of several users became one session of a device. The mode is right, but the key is still only the device.
    A user who takes over a tablet continues the session of the previous user. What else belongs in the key?
    """
    sessions = (
        taps.withWatermark("event_time", "10 minutes")
        .groupBy(F.session_window("event_time", "30 minutes"), "device")
        .agg(
            F.min_by("user", "event_time").alias("user"),
            F.min("event_time").alias("began"),
            F.max("event_time").alias("last_tap"),
            F.count("*").alias("taps"),
        )
    )
    return _to_topic(sessions, kafka)


def only_the_mode_mended(taps: DataFrame, kafka: Any) -> DataStreamWriter:
    """Output mode repaired, key and last_tap not

    Taps of several users became one session of a device, under the name of one of them. Every last_tap is half an
    hour later than the last tap. The mode is right; these are the other two complaints. Which key gives each user
    a session of their own? And what is the end of a session, if not its last tap?
    """
    sessions = (
        taps.withWatermark("event_time", "10 minutes")
        .groupBy(F.session_window("event_time", "30 minutes"), "device")
        .agg(F.min_by("user", "event_time").alias("user"), F.count("*").alias("taps"))
        .withColumn("began", F.col("session_window.start"))
        .withColumn("last_tap", F.col("session_window.end"))
    )
    return _to_topic(sessions, kafka)


def one_session_per_user(taps: DataFrame, kafka: Any) -> DataStreamWriter:
    """User as the only key: devices share a session

    Taps on several devices became one session of a user. On the phone and on the tablet at the same time is two
    sessions here, and guests on different devices are not one user. What else belongs in the key?
    """
    sessions = (
        taps.withWatermark("event_time", "10 minutes")
        .groupBy(F.session_window("event_time", "30 minutes"), "user")
        .agg(
            F.min_by("device", "event_time").alias("device"),
            F.min("event_time").alias("began"),
            F.max("event_time").alias("last_tap"),
            F.count("*").alias("taps"),
        )
    )
    return _to_topic(sessions, kafka)


def end_taken_for_the_last_tap(taps: DataFrame, kafka: Any) -> DataStreamWriter:
    """End of the session instead of the last tap

    Every last_tap is half an hour later than the last tap. A session ends when the claim of its last event ends,
    so the gap is part of the session. What gives you the time of the last tap?
    """
    sessions = (
        taps.withWatermark("event_time", "10 minutes")
        .groupBy(F.session_window("event_time", "30 minutes"), "device", "user")
        .agg(F.count("*").alias("taps"))
        .withColumn("began", F.col("session_window.start"))
        .withColumn("last_tap", F.col("session_window.end"))
    )
    return _to_topic(sessions, kafka)


def guests_left_out(taps: DataFrame, kafka: Any) -> DataStreamWriter:
    """Filter on user: the sessions of guests are missing

    Sessions whose user is null were not emitted. A grouping treats null as a value like any other, so the guests
    on a device are one group. Which part of your query drops them?
    """
    return _to_topic(_sessions(taps.where(F.col("user").isNotNull())), kafka)


def patience_of_the_gap(taps: DataFrame, kafka: Any) -> DataStreamWriter:
    """Watermark delay equals the gap

    After step 1 the watermark was {steps.1.delay} behind the newest tap; {asked.steps.1.delay} are required. The
    gap says how long a user may be silent, and the delay says how late a tap may arrive. Which one is 30 minutes?
    """
    return _to_topic(_sessions(taps, "30 minutes"), kafka)


def windows_of_the_clock(taps: DataFrame, kafka: Any) -> DataStreamWriter:
    """Time windows instead of session windows

    The rows are split at each half hour of the clock, in the middle of what a user does. Such windows run in any
    output mode, because their edges never change. Which window begins with a tap and ends with silence?
    """
    sessions = (
        taps.withWatermark("event_time", "10 minutes")
        .groupBy(F.window("event_time", "30 minutes"), "device", "user")
        .agg(
            F.min("event_time").alias("began"),
            F.max("event_time").alias("last_tap"),
            F.count("*").alias("taps"),
        )
    )
    return _to_topic(sessions, kafka)


def guests_of_all_devices_together(taps: DataFrame, kafka: Any) -> DataStreamWriter:
    """Null key: guests of all devices share a session

    Guests on different devices became one session. A string that is put together from a null is null, so all
    guests have the same key. Do you need one string as the key, or can groupBy take both columns?
    """
    owned = taps.withWatermark("event_time", "10 minutes").withColumn(
        "owner", F.concat("device", F.lit("/"), "user")
    )
    sessions = owned.groupBy(F.session_window("event_time", "30 minutes"), "owner").agg(
        F.first("device").alias("device"),
        F.first("user").alias("user"),
        F.min("event_time").alias("began"),
        F.max("event_time").alias("last_tap"),
        F.count("*").alias("taps"),
    )
    return _to_topic(sessions, kafka)


def delay_too_short(taps: DataFrame, kafka: Any) -> DataStreamWriter:
    """Watermark delay too short

    After step 1 the watermark was {steps.1.delay} behind the newest tap; {asked.steps.1.delay} are required. A tap
    that was not late by the task was dropped, and sessions were emitted too early. How late may a tap be?
    """
    return _to_topic(_sessions(taps, "10 seconds"), kafka)
