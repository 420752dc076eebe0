"""Wrong ways to average ten-minute counts by the hour."""

from pyspark.sql import DataFrame
from pyspark.sql import functions as F


def dividing_by_six(events: DataFrame) -> DataFrame:
    """One sixth of the hour's events

    Each average is one sixth of the hour's events. The task averages the counts of 10-minute
    windows. A window without events has no count. An event that arrives after its 10-minute window
    has closed is in no count, although its hour is open. Which windows exist in a quiet hour, and
    which operator drops that event?
    """
    return (
        events.withWatermark("event_time", "1 minute")
        .groupBy(F.window("event_time", "1 hour"), "user_id")
        .agg((F.count("*") / 6).alias("average"))
    )


def six_windows_in_every_hour(events: DataFrame) -> DataFrame:
    """Six windows assumed in every hour

    The averages of the hour from 11:00 are right, and those of the quiet hour from 12:00 are too
    low. In the first hour each 10-minute window has events. In the second some windows have none,
    so they have no count: such a window is not a zero. By how many counts do you divide the sum of
    an hour?
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
    """The count of a whole hour

    The numbers are the events of a whole hour. Your query has one aggregation, and the task
    describes two. An average is taken over rows. What is a row at the moment when you average: an
    event, or the count of 10 minutes?
    """
    return (
        events.withWatermark("event_time", "1 minute")
        .groupBy(F.window("event_time", "1 hour"), "user_id")
        .agg(F.count("*").cast("double").alias("average"))
    )


def window_of_the_start(events: DataFrame) -> DataFrame:
    """An aggregation that never becomes final

    Spark rejected the query. In append mode each aggregation must know when its rows are final, and
    for at least one of yours Spark cannot tell. Check the first and the second: is there a
    watermark before it, and is a window of event time among its keys? A window made of
    `window.start` or `window.end` does not count, because these are plain timestamps. A column of
    the DataFrame from before withWatermark does not count either. The column `window` as a whole is
    event time for Spark.
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
    """A second watermark, and no row

    Your query emitted no row, and after the last step it still has no watermark. Is there a second
    withWatermark after the first grouping? It would wait for rows of that grouping, and the
    grouping would wait for a watermark. Neither ever arrives. One watermark, before the first
    grouping, is enough.
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
    """Watermark delay as long as the hour

    After step 1 your watermark was {steps.1.delay} behind the newest event; the task allows
    {asked.steps.1.delay}. The delay says how late an event may arrive, not how long a window is. A
    window waits for its own end anyway. Which number in the task is the delay?
    """
    return _averages_after(events, "1 hour")


def sliding_every_ten_minutes(events: DataFrame) -> DataFrame:
    """Sliding hours in place of chained windows

    Your query emitted hours that begin every 10 minutes, and an event counts in six of them. A
    chain builds hours from the finished 10-minute counts. Which aggregation makes those counts?
    """
    hours = F.window("event_time", "1 hour", "10 minutes")
    return (
        events.withWatermark("event_time", "1 minute")
        .groupBy(hours, "user_id")
        .agg((F.count("*") / 6).alias("average"))
    )


def ten_minutes_to_be_safe(events: DataFrame) -> DataFrame:
    """Watermark delay longer than the task allows

    After step 1 your watermark was {steps.1.delay} behind the newest event; the task allows
    {asked.steps.1.delay}. On these events the same rows appear in the same steps. With more events
    they would appear later. The delay is the lateness limit of the task, without a margin. What is
    that limit?
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
