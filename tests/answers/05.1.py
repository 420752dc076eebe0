"""Answers to 05.1, hourly averages."""

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F


def _counts(events: DataFrame, delay: str = "1 minute") -> DataFrame:
    return (
        events.withWatermark("event_time", delay)
        .groupBy(F.window("event_time", "10 minutes"), "user_id")
        .count()
    )


def right_minutes_below_the_tens(events: DataFrame) -> DataFrame:
    """Counts minutes, adds them up to ten minutes, and averages those over the hour: three levels.

    An event up to a minute late finds its minute open, so it counts. What is later than that may be dropped sooner;
    the task says only that events may be up to one minute late.
    """
    minutes = (
        events.withWatermark("event_time", "1 minute")
        .groupBy(F.window("event_time", "1 minute"), "user_id")
        .agg(F.count("*").alias("n"))
    )
    tens = minutes.groupBy(F.window("window", "10 minutes"), "user_id").agg(F.sum("n").alias("n"))
    return tens.groupBy(F.window("window", "1 hour"), "user_id").agg(F.avg("n").alias("average"))


def right_list_of_counts(events: DataFrame) -> DataFrame:
    """Collects the hour's counts in a list and averages the list."""
    return (
        _counts(events)
        .withColumnRenamed("window", "ten")
        .groupBy("user_id", F.window(F.col("ten"), "60 minutes").alias("window"))
        .agg(F.collect_list("count").alias("counts"))
        .selectExpr(
            "window",
            "aggregate(counts, 0D, (a, n) -> a + n) / size(counts) AS average",
            "cast(user_id AS BIGINT) AS user_id",
        )
    )


def right_hour_as_a_column(events: DataFrame) -> DataFrame:
    """Both windows made with expr in columns before their groupings."""
    tens = (
        events.withWatermark("event_time", "INTERVAL 1 MINUTE")
        .withColumn("ten", F.expr("window(event_time, '10 minutes')"))
        .groupBy("ten", "user_id")
        .agg(F.count("user_id").alias("n"))
    )
    hours = tens.withColumn("window", F.expr("window(window_time(ten), '1 hour')"))
    return hours.groupBy("window", "user_id").agg(F.mean("n").alias("average"))


def wrong_watermark_in_between(events: DataFrame) -> DataFrame:
    """The only watermark is set on the window, between the two groupings.

    The first grouping has none before it.
    """
    counts = events.groupBy(F.window("event_time", "10 minutes"), "user_id").count()
    timed = counts.withWatermark("window", "1 minute")
    return timed.groupBy(F.window("window", "1 hour"), "user_id").agg(
        F.avg("count").alias("average")
    )


def wrong_column_from_before(events: DataFrame) -> DataFrame:
    """Takes the time from the DataFrame before withWatermark.

    Spark refuses, or never closes a window: the column bears no mark. Named window_of_the_start, whose title is true;
    the hint's two questions ("is there a watermark before it, and is a window of event time among its keys?") this
    learner would both answer with yes
    """
    counts = (
        events.withWatermark("event_time", "1 minute")
        .groupBy(F.window(events.event_time, "10 minutes"), "user_id")
        .count()
    )
    return counts.groupBy(F.window("window", "1 hour"), "user_id").agg(
        F.avg("count").alias("average")
    )


def _by_hour(counts: DataFrame, hour: Column) -> DataFrame:
    return counts.groupBy(hour, "user_id").agg(F.avg("count").alias("average"))


def _tens_of(events: DataFrame) -> DataFrame:
    late = events.withWatermark("event_time", "1 minute")
    return late.groupBy(F.window("event_time", "10 minutes"), "user_id").count()


def wrong_a_watermark_for_the_second_level(events: DataFrame) -> DataFrame:
    """A watermark for the second level."""
    counts = _tens_of(events).withWatermark("window", "1 minute")
    return _by_hour(counts, F.window("window", "1 hour"))


def wrong_a_watermark_at_the_end(events: DataFrame) -> DataFrame:
    """A watermark at the end."""
    hours = _by_hour(_tens_of(events), F.window("window", "1 hour"))
    return hours.withWatermark("window", "1 minute")


def wrong_the_hour_cut_off(events: DataFrame) -> DataFrame:
    """The hour cut off."""
    hour = F.date_trunc("hour", F.col("window.start")).alias("window")
    return _by_hour(_tens_of(events), hour)
