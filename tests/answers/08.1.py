"""Answers to 08.1: visits with a gap that depends on the type."""

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F


def _gap() -> Column:
    return (
        F.when(F.col("event_type") == 1, "5 seconds")
        .when(F.col("event_type") == 2, "20 seconds")
        .otherwise("5 minutes")
    )


def right_gaps_from_a_table(events: DataFrame) -> DataFrame:
    """Joins a small static table of gaps by type, and takes 5 minutes where it has none

    Right: the discussion recommends it.
    """
    gaps = events.sparkSession.createDataFrame(
        [(1, "5 seconds"), (2, "20 seconds")], "event_type INT, gap STRING"
    )
    return (
        events.withWatermark("event_time", "600 seconds")
        .join(F.broadcast(gaps), "event_type", "left")
        .withColumn("gap", F.coalesce("gap", F.lit("5 minutes")))
        .groupBy(F.session_window("event_time", F.col("gap")), "user_id")
        .agg(F.count(F.lit(1)).alias("events"))
    )


def right_watermark_after_the_helper_column(events: DataFrame) -> DataFrame:
    """Looks the gap up in a map, renames the time, and sets the watermark only then

    Right: the watermark still stands before the grouping, on the same moments.
    """
    gaps = F.create_map(F.lit(1), F.lit("5 seconds"), F.lit(2), F.lit("20 seconds"))
    timed = events.select(
        F.col("event_time").alias("at"),
        F.coalesce(F.try_element_at(gaps, F.col("event_type")), F.lit("5 minutes")).alias("gap"),
        "user_id",
    )
    return (
        timed.withWatermark("at", "10 minutes")
        .groupBy("user_id", F.session_window("at", F.col("gap")))
        .agg(F.sum(F.lit(1)).alias("n"))
        .select(F.col("n").alias("events"), "user_id", "session_window")
    )


def right_gap_as_an_interval(events: DataFrame) -> DataFrame:
    """Makes an interval of seconds instead of a text

    Right: session_window takes a calendar interval, too; the text fixes no type of the gap.
    """
    gap = F.expr(
        "make_interval(0, 0, 0, 0, 0, 0, CASE event_type WHEN 1 THEN 5 WHEN 2 THEN 20 ELSE 300 END)"
    )
    return (
        events.withWatermark("event_time", "10 minutes")
        .groupBy(F.session_window(F.col("event_time"), gap), F.col("user_id"))
        .count()
        .withColumnRenamed("count", "events")
    )


def right_gap_by_a_python_function(events: DataFrame) -> DataFrame:
    """Computes the gap with a Python UDF, in a column of its own

    Right: the documentation of session_window names "an expression/UDF".
    """
    gap_of = F.udf(lambda kind: {1: "5 seconds", 2: "20 seconds"}.get(kind, "5 minutes"))
    return (
        events.withWatermark("event_time", "10 minutes")
        .withColumn("gap", gap_of("event_type"))
        .groupBy(F.session_window("event_time", F.col("gap")), "user_id")
        .agg(F.count("*").cast("int").alias("events"))
    )


def right_edges_put_together_again(events: DataFrame) -> DataFrame:
    """Takes the session apart into its edges and builds the struct anew

    Right: the same column of the same type.
    """
    return (
        events.withWatermark("event_time", "10 minutes")
        .groupBy(F.session_window("event_time", _gap()), "user_id")
        .agg(F.count("*").alias("events"))
        .select(
            F.struct(
                F.col("session_window.start").alias("start"),
                F.col("session_window.end").alias("end"),
            ).alias("session_window"),
            "user_id",
            "events",
        )
    )


def wrong_minutes_abbreviated(events: DataFrame) -> DataFrame:
    """Has an otherwise, but writes its gap "5 min", which Spark does not read

    Wrong: "5 min" is no duration for Spark (the unit is minute or minutes), so all other types get a null gap and
    vanish: cleo, emil, fay and ana's of 12:10:00.
    """
    gap = (
        F.when(F.col("event_type") == 1, "5 seconds")
        .when(F.col("event_type") == 2, "20 seconds")
        .otherwise("5 min")
    )
    return (
        events.withWatermark("event_time", "10 minutes")
        .groupBy(F.session_window("event_time", gap), "user_id")
        .agg(F.count("*").alias("events"))
    )


def wrong_other_types_filtered_out(events: DataFrame) -> DataFrame:
    """Gives the right gap to all types, and takes only events of types 1 and 2

    Wrong: anything else has five minutes; cleo's first, emil and fay are missing.
    """
    return (
        events.withWatermark("event_time", "10 minutes")
        .where(F.col("event_type").isin(1, 2))
        .groupBy(F.session_window("event_time", _gap()), "user_id")
        .agg(F.count("*").alias("events"))
    )


def wrong_rest_has_no_time(events: DataFrame) -> DataFrame:
    """Gives all other types a gap of zero seconds

    Wrong: five minutes are asked for.
    """
    gap = (
        F.when(F.col("event_type") == 1, "5 seconds")
        .when(F.col("event_type") == 2, "20 seconds")
        .otherwise("0 seconds")
    )
    return (
        events.withWatermark("event_time", "10 minutes")
        .groupBy(F.session_window("event_time", gap), "user_id")
        .agg(F.count("*").alias("events"))
    )


def wrong_not_one_or_not_two(events: DataFrame) -> DataFrame:
    """Asks first for types that are not 1 or not 2, which is all of them

    Wrong: every event gets five minutes; ana's and ben's visits flow together in step 1.
    """
    kind = F.col("event_type")
    gap = (
        F.when(kind.isNull() | (kind != 1) | (kind != 2), "5 minutes")
        .when(kind == 1, "5 seconds")
        .otherwise("20 seconds")
    )
    return (
        events.withWatermark("event_time", "10 minutes")
        .groupBy(F.session_window("event_time", gap), "user_id")
        .agg(F.count("*").alias("events"))
    )


def wrong_gap_of_the_longest_in_the_key(events: DataFrame) -> DataFrame:
    """Groups by the gap as well as by the user

    Wrong: one visit falls apart by gap, as with the type in the key, but types 3, 7, 0 and null stay together. On the public
    events nobody mixes two of the "other" types, so
    """
    return (
        events.withWatermark("event_time", "10 minutes")
        .withColumn("gap", _gap())
        .groupBy(F.session_window("event_time", F.col("gap")), "user_id", "gap")
        .agg(F.count("*").alias("events"))
        .drop("gap")
    )


def _gap_of(first: str, second: str, other: str) -> Column:
    kind = F.col("event_type")
    return F.when(kind == 1, first).when(kind == 2, second).otherwise(other)


def _visits_with(events: DataFrame, gap: Column, count: str = "*") -> DataFrame:
    late = events.withWatermark("event_time", "10 minutes")
    sessions = late.groupBy(F.session_window("event_time", gap), "user_id")
    return sessions.agg(F.count(count).alias("events"))


def wrong_types_that_are_known(events: DataFrame) -> DataFrame:
    """Types that are known."""
    return _visits_with(events, _gap_of("5 seconds", "20 seconds", "5 minutes"), "event_type")


def wrong_gaps_the_other_way_round(events: DataFrame) -> DataFrame:
    """Gaps the other way round."""
    return _visits_with(events, _gap_of("20 seconds", "5 seconds", "5 minutes"))


def wrong_minutes_for_seconds(events: DataFrame) -> DataFrame:
    """Minutes for seconds."""
    return _visits_with(events, _gap_of("5 minutes", "20 minutes", "5 minutes"))


def wrong_whole_seconds(events: DataFrame) -> DataFrame:
    """Cuts the times to whole seconds first

    Two events of type 1 at 12:00:00.000 and 12:00:05.900 are two visits, and here one.
    """
    whole = events.withColumn("event_time", F.date_trunc("second", "event_time"))
    return _visits_with(whole, _gap())
