"""Answers to 02.4, the leak."""

from collections.abc import Iterator
from typing import Any

import pandas as pd
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql.streaming.state import GroupState, GroupStateTimeout


def _by_window(clicks: DataFrame) -> DataFrame:
    counted = clicks.groupBy(F.window("event_time", "1 hour"), "page").agg(
        F.count("*").alias("clicks")
    )
    return counted.select(F.col("window.start").alias("hour"), "page", "clicks")


def _once(clicks: DataFrame, delay: str = "10 minutes") -> DataFrame:
    return clicks.withWatermark("event_time", delay).dropDuplicatesWithinWatermark(["event_id"])


def right_window_as_a_column(clicks: DataFrame) -> DataFrame:
    """Makes the window a column before it groups, and counts back from its end to name the hour."""
    windowed = _once(clicks).select("page", F.window("event_time", "60 minutes").alias("w"))
    counted = windowed.groupBy("w", "page").agg(F.sum(F.lit(1)).alias("clicks"))
    hour = (F.col("w.end") - F.expr("INTERVAL 1 HOUR")).alias("hour")
    return counted.select("clicks", hour, "page")


def right_hour_beside_the_window(clicks: DataFrame) -> DataFrame:
    """Groups by the window and by the truncated hour as well: the window lets go, the hour is told."""
    hour = F.date_trunc("hour", "event_time").alias("hour")
    counted = _once(clicks).groupBy(F.window("event_time", "1 hour"), hour, "page").count()
    return counted.select("hour", "page", F.col("count").alias("clicks"))


def right_drops_equal_clicks(clicks: DataFrame) -> DataFrame:
    """Drops clicks that are equal in every column: copies are unchanged, and the time is among them."""
    return _by_window(clicks.withWatermark("event_time", "10 minutes").dropDuplicates())


def right_counts_in_pandas(clicks: DataFrame) -> DataFrame:
    """One state a page and hour with the ids seen, by applyInPandasWithState; it goes when the hour is over."""

    def count(key: Any, chunks: Iterator[pd.DataFrame], state: GroupState) -> Iterator[Any]:
        if state.hasTimedOut:
            state.remove()
            return
        before = set(state.get[0].split(",")) if state.exists else set()
        seen = before | {event_id for chunk in chunks for event_id in chunk["event_id"]}
        if seen == before:
            return
        state.update((",".join(sorted(seen)),))
        state.setTimeoutTimestamp(int(key[0].timestamp() * 1000) + 3_600_000)
        yield pd.DataFrame({"hour": [key[0]], "page": [key[1]], "clicks": [len(seen)]})

    timed = clicks.withWatermark("event_time", "10 minutes")
    timed = timed.withColumn("hour", F.date_trunc("hour", "event_time"))
    return timed.groupBy("hour", "page").applyInPandasWithState(
        count,
        "hour TIMESTAMP, page STRING, clicks LONG",
        "ids STRING",
        "update",
        GroupStateTimeout.EventTimeTimeout,
    )


def wrong_time_alone_is_the_key(clicks: DataFrame) -> DataFrame:
    """Drops clicks of the same time, whatever their id and page

    Two clicks in a second are two; shows in step 3 (e07, e09).
    """
    return _by_window(
        clicks.withWatermark("event_time", "10 minutes").dropDuplicates(["event_time"])
    )


def wrong_neighbours_within_watermark(clicks: DataFrame) -> DataFrame:
    """Takes page and time for the click, within the watermark

    As takes_neighbours_for_copies; shows in step 3.
    """
    once = clicks.withWatermark("event_time", "10 minutes").dropDuplicatesWithinWatermark(
        ["page", "event_time"]
    )
    return _by_window(once)


def wrong_distinct_ids_in_the_count(clicks: DataFrame) -> DataFrame:
    """Takes the deduplication out and counts distinct ids in the aggregation

    Numbers are right, but a copy brings a row: step 2 tells /fruit 1 again.
    """
    counted = (
        clicks.withWatermark("event_time", "10 minutes")
        .groupBy(F.window("event_time", "1 hour"), "page")
        .agg(F.size(F.collect_set("event_id")).alias("clicks"))
    )
    return counted.select(F.col("window.start").alias("hour"), "page", "clicks")


def wrong_watermark_after_the_ids(clicks: DataFrame) -> DataFrame:
    """Sets the watermark between the deduplication and the count

    The ids are never forgotten.
    """
    return _by_window(clicks.dropDuplicates(["event_id"]).withWatermark("event_time", "10 minutes"))


def wrong_hour_in_the_ids_key(clicks: DataFrame) -> DataFrame:
    """Drops copies by id and truncated hour, so that the key "has a time"

    date_trunc gives a plain timestamp: ids stay for ever.
    """
    timed = clicks.withWatermark("event_time", "10 minutes")
    timed = timed.withColumn("hour", F.date_trunc("hour", "event_time"))
    return _by_window(timed.dropDuplicates(["event_id", "hour"]))


def wrong_event_time_in_the_ids_key_only(clicks: DataFrame) -> DataFrame:
    """Bounds the ids by the event time in their key, and groups by the truncated hour still

    The hours stay.
    """
    once = clicks.withWatermark("event_time", "10 minutes").dropDuplicates(
        ["event_id", "event_time"]
    )
    hour = F.date_trunc("hour", "event_time").alias("hour")
    return once.groupBy(hour, "page").agg(F.count("*").alias("clicks"))


def wrong_five_minutes(clicks: DataFrame) -> DataFrame:
    """Halves the delay to keep less

    Clicks may be ten minutes late; e15 in step 7 is lost.
    """
    return _by_window(_once(clicks, "5 minutes"))


def wrong_no_watermark_at_all(clicks: DataFrame) -> DataFrame:
    """Groups by window and drops copies for ever, without a watermark

    Nothing is ever forgotten.
    """
    return _by_window(clicks.dropDuplicates(["event_id"]))


def _by_hour(clicks: DataFrame, count: Column) -> DataFrame:
    hours = clicks.groupBy(F.window("event_time", "1 hour"), "page").agg(count.alias("clicks"))
    return hours.select(F.col("window.start").alias("hour"), "page", "clicks")


def wrong_ids_counted_roughly(clicks: DataFrame) -> DataFrame:
    """Ids counted roughly."""
    late = clicks.withWatermark("event_time", "10 minutes")
    return _by_hour(late, F.approx_count_distinct("event_id"))


def wrong_two_hours_of_patience(clicks: DataFrame) -> DataFrame:
    """Two hours of patience."""
    late = clicks.withWatermark("event_time", "2 hours")
    return _by_hour(late.dropDuplicatesWithinWatermark(["event_id"]), F.count("*"))


def wrong_end_of_the_hour_in_the_ids_key(clicks: DataFrame) -> DataFrame:
    """Drops copies by id and window, and counts by a window made anew

    An id stays until its hour is over, not until ten minutes past its click.
    """
    timed = clicks.withWatermark("event_time", "10 minutes")
    timed = timed.withColumn("w", F.window("event_time", "1 hour"))
    return _by_window(timed.dropDuplicates(["w", "event_id"]))


def wrong_hours_in_a_window_of_a_day(clicks: DataFrame) -> DataFrame:
    """Groups by the hour and by a window of a day, so that the key has an end

    A count stays until the day is over.
    """
    hour = F.date_trunc("hour", "event_time").alias("hour")
    counted = _once(clicks).groupBy(F.window("event_time", "1 day"), hour, "page").count()
    return counted.select("hour", "page", F.col("count").alias("clicks"))


def right_watermark_on_a_copy(clicks: DataFrame) -> DataFrame:
    """Everything by a copy of the time: watermark, ids and windows; only needed columns are carried."""
    timed = clicks.select("event_id", "page", F.col("event_time").alias("happened"))
    once = timed.withWatermark("happened", "600 seconds").dropDuplicatesWithinWatermark(
        ["event_id"]
    )
    counted = once.groupBy("page", F.window("happened", "1 hour", "1 hour", "0 seconds")).count()
    return counted.select("page", "window.start", "count").toDF("page", "hour", "clicks")


def wrong_window_on_text(clicks: DataFrame) -> DataFrame:
    """The hour cut out of the time as text, and made a timestamp again behind the count

    Neither text nor timestamp has an end: the counts stay for ever.
    """
    once = _once(clicks).withColumn("hour", F.date_format("event_time", "yyyy-MM-dd HH:00:00"))
    counted = once.groupBy("hour", "page").agg(F.count("*").alias("clicks"))
    return counted.withColumn("hour", F.to_timestamp("hour"))


def wrong_quarter_of_an_hour(clicks: DataFrame) -> DataFrame:
    """A little more patience, a quarter of an hour

    "So must the delay of ten minutes": ids and hours stay five minutes longer.
    """
    return _by_window(_once(clicks, "15 minutes"))
