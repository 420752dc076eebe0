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
    """No delay at all

    After step 1 the watermark stood {steps.1.delay} behind the newest click. The typical click is
    behind by nothing, so nothing looks like a fine delay. But a delay is there for the clicks
    that are not typical. Count how many of yesterday's would be lost.
    """
    return _with_delay(clicks, "0 seconds")


def average_click(clicks: DataFrame) -> DataFrame:
    """A delay for the average click

    After step 1 the watermark stood {steps.1.delay} behind the newest click. That far the
    ordinary clicks of yesterday are behind on average, and a delay of that size waits for the
    average one: 9 of the 30 are further behind, where the rule lets you lose one.
    Look at the upper end of the sorted numbers, not at their middle.
    """
    return _with_delay(clicks, "2 seconds")


def average_with_the_stray(clicks: DataFrame) -> DataFrame:
    """One stray click sets the delay for all

    After step 1 the watermark stood {steps.1.delay} behind the newest click. To that comes an
    average over all 30 clicks, and nearly all of it is the one phone that was offline. No other
    click needs half as much, yet every row now comes out over a minute later. Look at the sorted
    numbers, and at the gap in them.
    """
    return _with_delay(clicks, "82 seconds")


def waits_for_the_slowest(clicks: DataFrame) -> DataFrame:
    """Waits for every click, however late

    After step 1 the watermark stood {steps.1.delay} behind the newest click. Nothing is lost with
    that, but the price is paid by every row: each comes out so much later, and each window stays
    in state that long. The rule allows a loss of 1 click in 20. What does the next one after the
    stray need?
    """
    return _with_delay(clicks, "40 minutes")


def travel_time(clicks: DataFrame) -> DataFrame:
    """Takes the way to Kafka for lateness

    After step 1 the watermark stood {steps.1.delay} behind the newest click, as long as the
    slowest of yesterday's clicks but one travelled, rounded up. That all of them travel for about
    three minutes makes none of them late: they arrive together, as they happened together. A
    watermark compares event times with the newest event time, never with the time of arrival.
    Which column of the table does that?
    """
    return _with_delay(clicks, "200 seconds")
