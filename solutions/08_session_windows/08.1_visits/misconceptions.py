"""Wrong ways to separate visits, each with a reason that people have."""

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F


def _gap() -> Column:
    return (
        F.when(F.col("event_type") == 1, "5 seconds")
        .when(F.col("event_type") == 2, "20 seconds")
        .otherwise("5 minutes")
    )


def longest_gap_for_all(events: DataFrame) -> DataFrame:
    """Gap of five minutes for every event

    Visits that ended after seconds lasted five minutes, and merged. If your gap is a constant: it can be computed
    from each event. If it is computed, for which events is the first condition true?
    """
    return (
        events.withWatermark("event_time", "10 minutes")
        .groupBy(F.session_window("event_time", "5 minutes"), "user_id")
        .agg(F.count("*").alias("events"))
    )


def no_gap_for_the_rest(events: DataFrame) -> DataFrame:
    """No `otherwise`: events of other types are in no visit

    Events of other types than 1 and 2 are missing from the visits. A chain of `when` without an `otherwise` gives
    them a null gap. An event whose gap is null, zero or no duration belongs to no session, and vanishes silently.
    Which gap do these events get, and does anything drop them before?
    """
    gap = F.when(F.col("event_type") == 1, "5 seconds").when(F.col("event_type") == 2, "20 seconds")
    return (
        events.withWatermark("event_time", "10 minutes")
        .groupBy(F.session_window("event_time", gap), "user_id")
        .agg(F.count("*").alias("events"))
    )


def gap_by_its_name(events: DataFrame) -> DataFrame:
    """Column name as the gap: no row and no watermark

    Events arrived, but none was counted, in state or late, and the watermark never advanced. Spark knew before the
    first event that no event can have a gap. A plain string is a duration, the same for all events, and not the
    name of a column. What is your gap, and can Spark read it?
    """
    return (
        events.withColumn("gap", _gap())
        .withWatermark("event_time", "10 minutes")
        .groupBy(F.session_window("event_time", "gap"), "user_id")
        .agg(F.count("*").alias("events"))
    )


def gap_is_no_text(events: DataFrame) -> DataFrame:
    """Gap of the wrong type

    Spark rejected the gap before it read an event. A gap is a string such as "5 seconds", or a column of such
    strings or of `make_interval`. A number does not say its unit, and an interval of days and seconds such as
    `INTERVAL 5 SECONDS` has another type. Which type does your gap have?
    """
    kind = F.col("event_type")
    gap = F.when(kind == 1, 5).when(kind == 2, 20).otherwise(300)
    return (
        events.withWatermark("event_time", "10 minutes")
        .groupBy(F.session_window("event_time", gap), "user_id")
        .agg(F.count("*").alias("events"))
    )


def one_visit_per_type(events: DataFrame) -> DataFrame:
    """Event type in the grouping key

    One visit became several rows where its events differ in type. That happens if the type, or the gap, is a
    grouping column, even if it is dropped later. The type only decides how long the silence may be. To whom does a
    visit belong?
    """
    return (
        events.withWatermark("event_time", "10 minutes")
        .groupBy(F.session_window("event_time", _gap()), "user_id", "event_type")
        .agg(F.count("*").alias("events"))
        .drop("event_type")
    )


def windows_of_the_clock(events: DataFrame) -> DataFrame:
    """Time windows instead of session windows

    The visits begin and end at full five minutes, whatever the user does, because `window` divides time like that.
    A visit that crosses such a line is split, and two visits between two lines are merged. Which window begins
    with an event and ends with silence?
    """
    return (
        events.withWatermark("event_time", "10 minutes")
        .groupBy(F.window("event_time", "5 minutes").alias("session_window"), "user_id")
        .agg(F.count("*").alias("events"))
    )


def watermark_as_long_as_the_gap(events: DataFrame) -> DataFrame:
    """Watermark delay equals the longest gap

    After step 1 the watermark was {steps.1.delay} behind the newest event; {asked.steps.1.delay} are required. The
    gap says when a user has fallen silent, and the delay says how late an event may arrive. Which of the two did
    you set, and which events are dropped because of it?
    """
    return (
        events.withWatermark("event_time", "5 minutes")
        .groupBy(F.session_window("event_time", _gap()), "user_id")
        .agg(F.count("*").alias("events"))
    )


def no_gap_for_a_missing_type(events: DataFrame) -> DataFrame:
    """Null type: events without a type are in no visit

    An event whose type is null is missing from the visits. A comparison with null is null, which is not true, so
    no branch of your `when` holds, and the gap is null. Which branch gives such an event its five minutes?
    """
    kind = F.col("event_type")
    gap = F.when(kind == 1, "5 seconds").when(kind == 2, "20 seconds")
    gap = gap.when(~kind.isin(1, 2), "5 minutes")
    return (
        events.withWatermark("event_time", "10 minutes")
        .groupBy(F.session_window("event_time", gap), "user_id")
        .agg(F.count("*").alias("events"))
    )


def types_counted(events: DataFrame) -> DataFrame:
    """Count of known types instead of events

    The visits are right, but an event without a type is not counted. A count of a column counts the rows in which
    the column is not null. What should be counted here?
    """
    return (
        events.withWatermark("event_time", "10 minutes")
        .groupBy(F.session_window("event_time", _gap()), "user_id")
        .agg(F.count("event_type").alias("events"))
    )
