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
    """Every event claims five minutes

    Visits that were over after seconds lasted five minutes, and flowed into one another. If one
    gap stands there for all: it need not be a constant, it can be computed from each event. If it
    is computed, for which events does the condition hold that is asked first?
    """
    return (
        events.withWatermark("event_time", "10 minutes")
        .groupBy(F.session_window("event_time", "5 minutes"), "user_id")
        .agg(F.count("*").alias("events"))
    )


def no_gap_for_the_rest(events: DataFrame) -> DataFrame:
    """Events of other types are in no visit

    Events of other types than 1 and 2 are missing from the visits. A chain of `when` without an
    `otherwise` gives them null for a gap. An event whose gap is null, zero or no duration that
    Spark can read belongs to no session, and it vanishes without a word. Which gap do they get,
    and does anything leave them out before?
    """
    gap = F.when(F.col("event_type") == 1, "5 seconds").when(F.col("event_type") == 2, "20 seconds")
    return (
        events.withWatermark("event_time", "10 minutes")
        .groupBy(F.session_window("event_time", gap), "user_id")
        .agg(F.count("*").alias("events"))
    )


def gap_by_its_name(events: DataFrame) -> DataFrame:
    """No row, and no watermark either

    Events came in, and none was counted, kept or late; the watermark never moved. Where Spark knows
    before it reads an event that no event can have a gap, it reads no times at all. What stands for
    the gap? A plain string is the duration itself, the same for all, and not the name of a column;
    and can Spark read it?
    """
    return (
        events.withColumn("gap", _gap())
        .withWatermark("event_time", "10 minutes")
        .groupBy(F.session_window("event_time", "gap"), "user_id")
        .agg(F.count("*").alias("events"))
    )


def gap_is_no_text(events: DataFrame) -> DataFrame:
    """Spark refused the gap

    Spark refused before it read an event. It takes the gap as a text such as "5 seconds", or as a
    column of such texts. (A column of `make_interval` will do, too.) A number does not say what it counts,
    and an interval of days and seconds such as `INTERVAL 5 SECONDS` is of another type. Which type does your gap have?
    """
    kind = F.col("event_type")
    gap = F.when(kind == 1, 5).when(kind == 2, 20).otherwise(300)
    return (
        events.withWatermark("event_time", "10 minutes")
        .groupBy(F.session_window("event_time", gap), "user_id")
        .agg(F.count("*").alias("events"))
    )


def one_visit_per_type(events: DataFrame) -> DataFrame:
    """Visits fall apart where the type changes

    One visit came out as several where its events differ in type. With the type, or the gap, among
    the grouping columns that is so, even if it is left out afterwards. The type only says how long
    the silence may be; a visit belongs to a user.
    """
    return (
        events.withWatermark("event_time", "10 minutes")
        .groupBy(F.session_window("event_time", _gap()), "user_id", "event_type")
        .agg(F.count("*").alias("events"))
        .drop("event_type")
    )


def windows_of_the_clock(events: DataFrame) -> DataFrame:
    """Windows of the clock, not sessions

    The visits begin and end at the full five minutes, whatever the user does there: `window` cuts
    time so. A visit that crosses such a line is torn apart, two visits within it are glued
    together. You want windows that begin with an event and end with silence.
    """
    return (
        events.withWatermark("event_time", "10 minutes")
        .groupBy(F.window("event_time", "5 minutes").alias("session_window"), "user_id")
        .agg(F.count("*").alias("events"))
    )


def watermark_as_long_as_the_gap(events: DataFrame) -> DataFrame:
    """The watermark waits as long as the longest gap

    After step 1 the watermark stood {steps.1.delay} behind the newest event;
    {asked.steps.1.delay} are asked for. The gap says when a user has fallen silent, the watermark
    how late an event may arrive. Events that still count are turned away.
    """
    return (
        events.withWatermark("event_time", "5 minutes")
        .groupBy(F.session_window("event_time", _gap()), "user_id")
        .agg(F.count("*").alias("events"))
    )
