"""Answers to 05.2, three levels of windows."""

from pyspark.sql import DataFrame
from pyspark.sql import functions as F


def _minutes(clicks: DataFrame, delay: str = "30 seconds") -> DataFrame:
    return (
        clicks.withWatermark("event_time", delay)
        .groupBy(F.window("event_time", "1 minute"), "page")
        .agg(F.count("*").alias("clicks"))
    )


def _tens(minutes: DataFrame) -> DataFrame:
    return minutes.groupBy(F.window("window", "10 minutes"), "page").agg(
        F.max("clicks").alias("peak")
    )


def _hours(tens: DataFrame) -> DataFrame:
    return tens.groupBy(F.window("window", "1 hour"), "page").agg(
        F.avg("peak").alias("average_peak"), F.max("peak").alias("highest_peak")
    )


def right_list_of_peaks(clicks: DataFrame) -> DataFrame:
    """Collects the peaks of the hour in a list, and takes its average and its greatest."""
    return (
        _tens(_minutes(clicks))
        .groupBy("page", F.window("window", "1 hour"))
        .agg(F.collect_list("peak").alias("peaks"))
        .selectExpr(
            "array_max(peaks) AS highest_peak",
            "page",
            "aggregate(peaks, 0D, (a, p) -> a + p) / size(peaks) AS average_peak",
            "window",
        )
    )


def right_a_level_more(clicks: DataFrame) -> DataFrame:
    """Five minutes between the minutes and the ten: the greatest of the greatest is the same."""
    fives = (
        _minutes(clicks)
        .groupBy(F.window("window", "5 minutes"), "page")
        .agg(F.max("clicks").alias("clicks"))
    )
    return _hours(_tens(fives))


def right_half_minutes_first(clicks: DataFrame) -> DataFrame:
    """Counts half minutes, adds them up to minutes, and goes on as asked.

    A click up to 30 seconds late finds its half minute open. 12:03:45 in step 2 (newest 12:04:10) does; 12:10:59 in
    step 3 is late either way.
    """
    halves = (
        clicks.withWatermark("event_time", "30 seconds")
        .groupBy(F.window("event_time", "30 seconds"), "page")
        .agg(F.count("*").alias("clicks"))
    )
    minutes = halves.groupBy(F.window("window", "1 minute"), "page").agg(
        F.sum("clicks").alias("clicks")
    )
    return _hours(_tens(minutes))


def wrong_watermark_on_the_minutes_only(clicks: DataFrame) -> DataFrame:
    """The only watermark is set on the window of the minutes.

    The first grouping has none before it.
    """
    minutes = clicks.groupBy(F.window("event_time", "1 minute"), "page").agg(
        F.count("*").alias("clicks")
    )
    return _hours(_tens(minutes.withWatermark("window", "30 seconds")))
