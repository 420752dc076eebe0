"""Repairs after which sessions are refused, repeated, or somebody else's."""

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
    """Spark refused the output mode

    Spark refused before it read a tap. It does so with sessions in update mode, where a sink is to
    replace the old row by the changed one: when a session grows or merges, its start or its end
    changes, and there is no old row of that key. And it does so in append mode where nothing says when
    a session is final: no withWatermark before groupBy, on the very column that the sessions are made
    of (taken from the taps before withWatermark it has none), or a grouping that has no session
    window among its keys. Which mode tells a session once, and by what does it know that one is over?
    """
    return _to_topic(_sessions(taps), kafka, "update")


def told_again_and_again(taps: DataFrame, kafka: Any) -> DataStreamWriter:
    """Every session is told again in each batch

    The topic got the same sessions again and again, unfinished ones too, and none is ever
    forgotten. Complete mode runs with sessions, and it writes the whole result each time; for that
    it must keep the whole result.
    """
    return _to_topic(_sessions(taps), kafka, "complete")


def one_session_per_device(taps: DataFrame, kafka: Any) -> DataStreamWriter:
    """Users of the same tablet share a session

    Taps of several users came out as one session of a device. The mode is right, and the key is
    still only the device: whoever takes a tablet over goes on with the session of the one before.
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
    """A session for each device, and half an hour too long

    Taps of several users came out as one session of a device, under the name of one of them, and every
    last_tap is half an hour too late. The mode is right; these are the other two complaints. What
    makes a session somebody's own? And what is the end of a session, if not its last tap?
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
    """Devices of the same user share a session

    Taps on several devices came out as one session of a user. On the phone and on the tablet at
    the same time is two sessions here, and all guests together are not one user. The key needs
    both.
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
    """The end of a session is not its last tap

    Every last_tap is half an hour too late. A session ends when its last event's time is over: the
    gap is part of it.
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
    """The sessions of guests are missing

    Sessions whose user is null did not come out. groupBy takes null for a value like any other, so
    that guests on a device are a group; no filter is needed.
    """
    return _to_topic(_sessions(taps.where(F.col("user").isNotNull())), kafka)


def patience_of_the_gap(taps: DataFrame, kafka: Any) -> DataStreamWriter:
    """The watermark waits as long as the gap

    After step 1 the watermark stood {steps.1.delay} behind the newest tap;
    {asked.steps.1.delay} are asked for. The gap says how long a user may be silent, the delay how
    late a tap may arrive. Sessions come out later than they could.
    """
    return _to_topic(_sessions(taps, "30 minutes"), kafka)


def windows_of_the_clock(taps: DataFrame, kafka: Any) -> DataStreamWriter:
    """Windows of the clock

    The rows are cut where half an hour of the clock ends, in the middle of what a user does. Such
    windows can be told in any mode, since their edges never change. But they are no sessions.
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
