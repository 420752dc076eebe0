"""Delays that people read off the same table, for other reasons."""

from pyspark.sql import DataFrame
from pyspark.sql import functions as F


def _with_delay(clicks: DataFrame, delay: str) -> DataFrame:
    return (
        clicks.withWatermark("event_time", delay)
        .groupBy(F.window("event_time", "1 minute"))
        .agg(F.count("*").alias("clicks"))
    )


def no_patience(clicks: DataFrame) -> DataFrame:
    """Delay of zero

    After step 1 the watermark was {steps.1.delay} behind the newest click. Most of yesterday's
    clicks are not behind at all, so zero looks like a good delay. But a delay exists for the
    other clicks. How many of yesterday's clicks would be lost?
    """
    return _with_delay(clicks, "0 seconds")


def average_click(clicks: DataFrame) -> DataFrame:
    """Delay for the average click

    After step 1 the watermark was {steps.1.delay} behind the newest click. That is how far
    yesterday's ordinary clicks are behind on average. With this delay 9 of the 30 are lost; the
    rule allows one. Which number is at the upper end of the sorted column?
    """
    return _with_delay(clicks, "2 seconds")


def average_with_the_stray(clicks: DataFrame) -> DataFrame:
    """Delay set by a single outlier

    After step 1 the watermark was {steps.1.delay} behind the newest click. That is near the
    average over all 30 clicks, and nearly all of it is the one phone that was offline. No other
    click needs half as much, but every row is now emitted over a minute later. Where is the gap
    in the sorted numbers?
    """
    return _with_delay(clicks, "82 seconds")


def waits_for_the_slowest(clicks: DataFrame) -> DataFrame:
    """Delay for every click, however late

    After step 1 the watermark was {steps.1.delay} behind the newest click. Nothing is lost with
    this delay, but every row is emitted later, and each window stays in state longer. The rule
    allows a loss of 1 click in 20. Which delay does the second largest number need?
    """
    return _with_delay(clicks, "40 minutes")


def travel_time(clicks: DataFrame) -> DataFrame:
    """Travel time used as lateness

    After step 1 the watermark was {steps.1.delay} behind the newest click. That is how long the
    second slowest click travelled. All clicks travel for about three minutes, so the travel time
    makes none of them late. A watermark compares event times with the newest event time, never
    with the time of arrival. Which column of the table does that?
    """
    return _with_delay(clicks, "192 seconds")


def not_rounded(clicks: DataFrame) -> DataFrame:
    """Delay that is not rounded up

    After step 1 the watermark was {steps.1.delay} behind the newest click; expected {asked.steps.1.delay}. This
    is the smallest delay that loses at most 1 click in 20. What does the last rule do with it?
    """
    return _with_delay(clicks, "9 seconds")


def two_clicks_lost(clicks: DataFrame) -> DataFrame:
    """Delay that loses two clicks

    After step 1 the watermark was {steps.1.delay} behind the newest click; expected {asked.steps.1.delay}. With
    this delay two of yesterday's 30 clicks are lost, 1 in 15. How many of 30 clicks are 1 in 20?
    """
    return _with_delay(clicks, "8 seconds")
