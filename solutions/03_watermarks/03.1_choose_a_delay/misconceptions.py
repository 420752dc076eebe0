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

    The typical click is behind by nothing, so nothing looks like a fine delay. But a delay is
    there for the clicks that are not typical. Count how many of yesterday's would be lost.
    """
    return _with_delay(clicks, "0 seconds")


def average_click(clicks: DataFrame) -> DataFrame:
    """A delay for the average click

    On average the ordinary clicks are 2 s behind. A delay of that size waits for the average
    one. Of those that are later than average it loses all whose minute is over, far more than
    1 in 20. Look at the upper end of the sorted numbers, not at their middle.
    """
    return _with_delay(clicks, "2 seconds")


def average_with_the_stray(clicks: DataFrame) -> DataFrame:
    """One stray click sets the delay for all

    An average over all 30 clicks comes to 82 s, and nearly all of that is the one phone that
    was offline. No other click needs half as much, yet every row now comes out over a minute
    later. Look at the sorted numbers, and at the gap in them.
    """
    return _with_delay(clicks, "82 seconds")


def waits_for_the_slowest(clicks: DataFrame) -> DataFrame:
    """Waits for every click, however late

    Nothing is lost with a delay of 40 minutes, but the price is paid by every row: each comes
    out 40 minutes later, and each window stays in state that long. The rule allows a loss of
    1 click in 20. What does the next one after the stray need?
    """
    return _with_delay(clicks, "40 minutes")


def travel_time(clicks: DataFrame) -> DataFrame:
    """Takes the way to Kafka for lateness

    All clicks travel for about three minutes, and that makes none of them late: they arrive
    together, as they happened together. A watermark compares event times with the newest
    event time, never with the time of arrival. Which column of the table does that?
    """
    return _with_delay(clicks, "190 seconds")
