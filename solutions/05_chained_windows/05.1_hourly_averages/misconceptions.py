"""Wrong ways to average ten-minute counts by the hour, each from a belief that people hold."""

from pyspark.sql import DataFrame
from pyspark.sql import functions as F


def dividing_by_six(events: DataFrame) -> DataFrame:
    """An hour has six windows, so divide by six

    The averages are a sixth of the hour's events. That is right while each ten minutes have an
    event. A window without events does not exist for the first aggregation, so the second cannot
    average over it. Which windows are there in a quiet hour?
    """
    return (
        events.withWatermark("event_time", "1 minute")
        .groupBy(F.window("event_time", "1 hour"), "user_id")
        .agg((F.count("*") / 6).alias("average"))
    )


def counting_the_hour(events: DataFrame) -> DataFrame:
    """One window does it

    The numbers are the events of a whole hour: one aggregation, where the task describes two. The
    average is taken over rows, so ask what a row is at the moment you average: an event, or the
    count of ten minutes?
    """
    return (
        events.withWatermark("event_time", "1 minute")
        .groupBy(F.window("event_time", "1 hour"), "user_id")
        .agg(F.count("*").cast("double").alias("average"))
    )


def window_of_the_start(events: DataFrame) -> DataFrame:
    """The start of a window is as good as the window

    Spark finds no watermark at one of your two groupings. If you set none at all, begin there. If
    you did, see what the second one groups by: `window.start` is a plain timestamp. Spark knows
    the event time of the column `window`, and loses track of it when you take a field out. Pass on
    something that Spark still recognises as time.
    """
    counts = (
        events.withWatermark("event_time", "1 minute")
        .groupBy(F.window("event_time", "10 minutes"), "user_id")
        .count()
    )
    return (
        counts.groupBy(F.window("window.start", "1 hour"), "user_id")
        .agg(F.avg("count").alias("average"))
    )


def watermark_as_long_as_the_hour(events: DataFrame) -> DataFrame:
    """The watermark must cover the largest window

    After step 1 the watermark stood {steps.1.delay} behind the newest event;
    {asked.steps.1.delay} is asked for. A watermark says how late an event may come, not how long
    a window is: windows wait for their own end anyway.
    """
    return _averages_after(events, "1 hour")


def sliding_every_ten_minutes(events: DataFrame) -> DataFrame:
    """Ten minutes and an hour make a sliding window

    Hours came out that begin every ten minutes, and an event counts in six of them. Chaining is
    something else: hours built of the finished ten-minute counts.
    """
    hours = F.window("event_time", "1 hour", "10 minutes")
    return (
        events.withWatermark("event_time", "1 minute")
        .groupBy(hours, "user_id")
        .agg((F.count("*") / 6).alias("average"))
    )


def ten_minutes_to_be_safe(events: DataFrame) -> DataFrame:
    """More patience than the task asks for

    After step 1 the watermark stood {steps.1.delay} behind the newest event;
    {asked.steps.1.delay} is asked for. On these events the same rows come at the same steps, and
    with more events they would come later. A delay is what the task says of lateness, not a
    margin.
    """
    return _averages_after(events, "10 minutes")


def _averages_after(events: DataFrame, delay: str) -> DataFrame:
    counts = (
        events.withWatermark("event_time", delay)
        .groupBy(F.window("event_time", "10 minutes"), "user_id")
        .count()
    )
    return (
        counts.groupBy(F.window("window", "1 hour"), "user_id")
        .agg(F.avg("count").alias("average"))
    )
