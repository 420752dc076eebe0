"""Wrong ways to tell visits apart, each from a belief that people hold."""

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F


def _gap() -> Column:
    return (
        F.when(F.col("event_type") == 1, "5 seconds")
        .when(F.col("event_type") == 2, "20 seconds")
        .otherwise("5 minutes")
    )


def longest_gap_for_all(events: DataFrame) -> DataFrame:
    """A session window has one gap

    You give every event the five minutes that only some deserve, so visits that were over flow
    into one another. The gap need not be a constant: it can be computed from each event.
    """
    return (
        events.withWatermark("event_time", "10 minutes")
        .groupBy(F.session_window("event_time", "5 minutes"), "user_id")
        .agg(F.count("*").alias("events"))
    )


def no_gap_for_the_rest(events: DataFrame) -> DataFrame:
    """Types that nobody mentions need no rule

    Events of other types are missing from your visits. A chain of `when` without an `otherwise`
    gives null, an event with a null gap belongs to no session, and it vanishes without a word.
    """
    gap = F.when(F.col("event_type") == 1, "5 seconds").when(
        F.col("event_type") == 2, "20 seconds"
    )
    return (
        events.withWatermark("event_time", "10 minutes")
        .groupBy(F.session_window("event_time", gap), "user_id")
        .agg(F.count("*").alias("events"))
    )


def one_visit_per_type(events: DataFrame) -> DataFrame:
    """What decides about the gap must be in the group

    With the event type among the grouping columns, one visit becomes several, one for each type
    in it. The type only says how long the silence may be; a visit belongs to a user.
    """
    return (
        events.withWatermark("event_time", "10 minutes")
        .groupBy(F.session_window("event_time", _gap()), "user_id", "event_type")
        .agg(F.count("*").alias("events"))
    )


def windows_of_the_clock(events: DataFrame) -> DataFrame:
    """Any window of five minutes will do

    `window` cuts time at the full five minutes, whatever the user does there. A visit that crosses
    such a line is torn apart, two visits within it are glued together. You want windows that
    begin with an event and end with silence.
    """
    return (
        events.withWatermark("event_time", "10 minutes")
        .groupBy(F.window("event_time", "5 minutes").alias("session_window"), "user_id")
        .agg(F.count("*").alias("events"))
    )


def watermark_as_long_as_the_gap(events: DataFrame) -> DataFrame:
    """The watermark is the gap

    The gap says when a user has fallen silent, the watermark how late an event may arrive. Yours
    waits five minutes for what may come ten minutes late, and events that still count are turned
    away.
    """
    return (
        events.withWatermark("event_time", "5 minutes")
        .groupBy(F.session_window("event_time", _gap()), "user_id")
        .agg(F.count("*").alias("events"))
    )
