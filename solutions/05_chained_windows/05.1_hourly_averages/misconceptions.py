"""Wrong ways to average ten-minute counts by the hour, each from a belief that people hold."""

from pyspark.sql import DataFrame
from pyspark.sql import functions as F


def dividing_by_six(events: DataFrame) -> DataFrame:
    """A sixth of the hour's events

    The averages are a sixth of the hour's events. The task averages the counts of ten minutes: ten
    minutes without an event have no count, and an event that finds its ten minutes over is in none,
    though its hour is open. Which windows are there in a quiet hour, and which operator turns that
    event away?
    """
    return (
        events.withWatermark("event_time", "1 minute")
        .groupBy(F.window("event_time", "1 hour"), "user_id")
        .agg((F.count("*") / 6).alias("average"))
    )


def six_windows_in_every_hour(events: DataFrame) -> DataFrame:
    """Six windows in every hour

    The averages of the hour from 11:00 are right, and those of the quiet hour after noon too low. In
    the first each ten minutes have an event. In the other some have none, and no count: such a window
    is no zero, it is not there. By how many counts is the sum of an hour divided?
    """
    counts = (
        events.withWatermark("event_time", "1 minute")
        .groupBy(F.window("event_time", "10 minutes"), "user_id")
        .count()
    )
    return counts.groupBy(F.window("window", "1 hour"), "user_id").agg(
        (F.sum("count") / 6).alias("average")
    )


def counting_the_hour(events: DataFrame) -> DataFrame:
    """The events of a whole hour

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
    """An aggregation without an end that Spark can see

    Spark refused the query. In append mode each aggregation must know when a row of it is final,
    and of at least one of yours Spark cannot tell. Ask of the first and of the second: is there a
    watermark before it, and is a window of event time among its keys? A window made of
    `window.start` or `window.end` is none: these are plain timestamps, and Spark no longer knows
    them for event time. Nor is one made of a column of the DataFrame from before withWatermark. The
    column `window` as a whole it does know.
    """
    counts = (
        events.withWatermark("event_time", "1 minute")
        .groupBy(F.window("event_time", "10 minutes"), "user_id")
        .count()
    )
    return counts.groupBy(F.window("window.start", "1 hour"), "user_id").agg(
        F.avg("count").alias("average")
    )


def a_second_watermark(events: DataFrame) -> DataFrame:
    """No watermark, and no row

    No row came out, and after the last step the query still has no watermark. Is a second
    withWatermark set behind the first grouping? It would wait for rows of that grouping, and the
    grouping for a watermark: neither ever comes. One watermark, before the first grouping, is enough.
    """
    counts = (
        events.withWatermark("event_time", "1 minute")
        .groupBy(F.window("event_time", "10 minutes"), "user_id")
        .count()
        .withWatermark("window", "1 minute")
    )
    return counts.groupBy(F.window("window", "1 hour"), "user_id").agg(
        F.avg("count").alias("average")
    )


def watermark_as_long_as_the_hour(events: DataFrame) -> DataFrame:
    """A watermark an hour behind

    After step 1 the watermark stood {steps.1.delay} behind the newest event;
    {asked.steps.1.delay} is asked for. A watermark says how late an event may come, not how long
    a window is: windows wait for their own end anyway.
    """
    return _averages_after(events, "1 hour")


def sliding_every_ten_minutes(events: DataFrame) -> DataFrame:
    """Hours that begin every ten minutes

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
    return counts.groupBy(F.window("window", "1 hour"), "user_id").agg(
        F.avg("count").alias("average")
    )
