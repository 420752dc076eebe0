"""Answers to 09.4: parcels that lose their past."""

import itertools
import json
from collections.abc import Callable, Iterator
from typing import Any

import pandas as pd
from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql.streaming.state import GroupState, GroupStateTimeout

TWO_HOURS = 2 * 60 * 60 * 1000
Follow = Callable[[Any, Iterator[pd.DataFrame], GroupState], Iterator[pd.DataFrame]]


def _by_parcel(
    scans: DataFrame, follow: Follow, kept: str = "first LONG, newest LONG, scans LONG"
) -> DataFrame:
    return (
        scans.withWatermark("scanned_at", "10 minutes")
        .groupBy("parcel")
        .applyInPandasWithState(
            follow,
            "parcel STRING, news STRING, scans LONG, first_scan TIMESTAMP",
            kept,
            "append",
            GroupStateTimeout.EventTimeTimeout,
        )
    )


def _ms(time: pd.Timestamp) -> int:
    return round(time.timestamp() * 1000)


def _row(key: Any, news: str, scans: int, first: int | None) -> pd.DataFrame:
    first_scan = None if first is None else pd.Timestamp(first, unit="ms")
    return pd.DataFrame(
        {"parcel": [key[0]], "news": [news], "scans": [scans], "first_scan": [first_scan]}
    )


def _with(batch: pd.DataFrame, state: GroupState) -> tuple[int, int, int]:
    """First and newest time and number of scans, those of the batch added."""
    times = [_ms(time) for time in batch["scanned_at"]]
    first, newest, scans = state.getOption or (times[0], times[0], 0)
    return min(first, *times), max(newest, *times), scans + len(times)


def _follow(
    arrived: Callable[[pd.DataFrame], Any], until: Callable[[int, int], int] | None = None
) -> Follow:
    """The right function, but for who has arrived and until when (first, newest) a parcel is waited for."""

    def follow(key: Any, chunks: Iterator[pd.DataFrame], state: GroupState) -> Iterator[Any]:
        if state.hasTimedOut:
            first, _, count = state.get
            state.remove()
            yield _row(key, "lost", count, first)
            return
        batch = pd.concat(list(chunks))
        first, newest, count = _with(batch, state)
        if arrived(batch):
            state.remove()
            yield _row(key, "delivered", count, first)
            return
        state.update((first, newest, count))
        state.setTimeoutTimestamp(until(first, newest) if until else newest + TWO_HOURS)

    return follow


def _at_the_door(batch: pd.DataFrame) -> bool:
    return bool((batch["place"] == "door").any())


def right_updated_first_and_removed_then(scans: DataFrame) -> DataFrame:
    """Keeps everything as JSON after each piece, and removes it where the way ends

    Right: what is removed in the same call leaves nothing behind; a set of places tells who was at the door.
    """

    def follow(key: Any, chunks: Iterator[pd.DataFrame], state: GroupState) -> Iterator[Any]:
        places = set()
        if not state.hasTimedOut:
            for chunk in chunks:
                times = json.loads(state.get[0]) if state.exists else []
                times += [_ms(time) for time in chunk["scanned_at"]]
                places |= set(chunk["place"])
                state.update((json.dumps(times),))
        times = json.loads(state.get[0])
        if "door" in places or state.hasTimedOut:
            news = "lost" if state.hasTimedOut else "delivered"
            state.remove()
            yield _row(key, news, len(times), min(times))
        else:
            state.setTimeoutTimestamp(max(times) + TWO_HOURS)

    return _by_parcel(scans, follow, "times STRING")


def right_marked_before_the_grouping(scans: DataFrame) -> DataFrame:
    """Lets Spark mark the door and make milliseconds, and puts the pieces together by concat of the iterator

    Right: the function gets other columns and says the same.
    """

    def follow(key: Any, chunks: Iterator[pd.DataFrame], state: GroupState) -> Iterator[Any]:
        known = pd.DataFrame([state.get] if state.exists else [], columns=["first", "newest", "n"])
        if state.hasTimedOut:
            state.remove()
            yield pd.DataFrame({"p": key[0], "w": "lost", "n": known["n"], "f": known["first"]})
            return
        batch = pd.concat(chunks)
        first = int(min([*batch["ms"], *known["first"]]))
        newest = int(max([*batch["ms"], *known["newest"]]))
        count = int(len(batch) + known["n"].sum())
        if batch["door"].max() == 1:
            if state.exists:
                state.remove()
            yield pd.DataFrame({"p": [key[0]], "w": ["delivered"], "n": [count], "f": [first]})
        else:
            state.setTimeoutTimestamp(newest + TWO_HOURS)
            state.update((first, newest, count))

    marked = scans.withWatermark("scanned_at", "10 minutes").select(
        "parcel",
        "scanned_at",
        F.when(F.col("place") == "door", 1).otherwise(0).alias("door"),
        F.unix_millis("scanned_at").alias("ms"),
    )
    ends = marked.groupBy("parcel").applyInPandasWithState(
        follow,
        "p STRING, w STRING, n LONG, f LONG",
        "first LONG, newest LONG, n LONG",
        "append",
        GroupStateTimeout.EventTimeTimeout,
    )
    return ends.select(
        F.col("p").alias("parcel"),
        F.col("w").alias("news"),
        F.col("n").alias("scans"),
        F.timestamp_millis("f").alias("first_scan"),
    )


def right_moment_of_loss_kept(scans: DataFrame) -> DataFrame:
    """Keeps until when it waits, and not the newest scan

    Right: the later of two such moments is that of the newest scan.
    """

    def follow(key: Any, chunks: Iterator[pd.DataFrame], state: GroupState) -> Iterator[Any]:
        first, until, count = state.get if state.exists else (2**62, 0, 0)
        if not state.hasTimedOut:
            batch = pd.concat(list(chunks))
            first = min(first, _ms(batch["scanned_at"].min()))
            until = max(until, _ms(batch["scanned_at"].max()) + TWO_HOURS)
            count += len(batch)
            if "door" not in batch["place"].values:
                state.update((first, until, count))
                state.setTimeoutTimestamp(until)
                return
        news = "lost" if state.hasTimedOut else "delivered"
        state.remove()
        yield _row(key, news, count, first)

    return _by_parcel(scans, follow)


def wrong_any_door(scans: DataFrame) -> DataFrame:
    """Takes every place with "door" in its name for the door

    Wrong: "scanned at the "door""; a scan at "outdoor store" or "loading door" would deliver.
    """
    return _by_parcel(
        scans, _follow(lambda batch: batch["place"].str.contains("door", na=False).any())
    )


def wrong_two_hours_and_a_bit(scans: DataFrame) -> DataFrame:
    """Adds a millisecond to the two hours, so that they are surely passed

    Wrong: passed is greater already.
    """
    return _by_parcel(scans, _follow(_at_the_door, lambda _, newest: newest + TWO_HOURS + 1))


def wrong_whole_minutes(scans: DataFrame) -> DataFrame:
    """Keeps minutes, and leaves the seconds of the first scan away

    Wrong: first_scan is the time of the earliest scan.
    """

    def follow(key: Any, chunks: Iterator[pd.DataFrame], state: GroupState) -> Iterator[Any]:
        if state.hasTimedOut:
            first, _, count = state.get
            state.remove()
            yield _row(key, "lost", count, first * 60_000)
            return
        batch = pd.concat(list(chunks))
        minutes = [int(time.timestamp() // 60) for time in batch["scanned_at"]]
        first, newest, count = state.get if state.exists else (minutes[0], 0, 0)
        first, newest, count = min(first, *minutes), max(newest, *minutes), count + len(minutes)
        if _at_the_door(batch):
            state.remove()
            yield _row(key, "delivered", count, first * 60_000)
            return
        state.update((first, newest, count))
        state.setTimeoutTimestamp(newest * 60_000 + TWO_HOURS)

    return _by_parcel(scans, follow)


def wrong_first_scan_of_the_last_batch(scans: DataFrame) -> DataFrame:
    """Takes the dictionary out and puts nothing in its place: first_scan is that of the batch, and none when lost

    Wrong: the earliest scan of this way; p1 is told 09:10:00.
    """

    def follow(key: Any, chunks: Iterator[pd.DataFrame], state: GroupState) -> Iterator[Any]:
        if state.hasTimedOut:
            _, count = state.get
            state.remove()
            yield _row(key, "lost", count, None)
            return
        batch = pd.concat(list(chunks))
        newest, count = state.get if state.exists else (0, 0)
        newest, count = max(newest, _ms(batch["scanned_at"].max())), count + len(batch)
        if _at_the_door(batch):
            state.remove()
            yield _row(key, "delivered", count, _ms(batch["scanned_at"].min()))
            return
        state.update((newest, count))
        state.setTimeoutTimestamp(newest + TWO_HOURS)

    return _by_parcel(scans, follow, "newest LONG, scans LONG")


def wrong_known_parcels_neither_kept_nor_timed(scans: DataFrame) -> DataFrame:
    """Mends three faults, and leaves the branch for known parcels as it was

    Wrong: p2 is lost in step 6 with three scans (two hours after 08:19:00). Two faults at once:
    """

    def follow(key: Any, chunks: Iterator[pd.DataFrame], state: GroupState) -> Iterator[Any]:
        if state.hasTimedOut:
            first, _, count = state.get
            state.remove()
            yield _row(key, "lost", count, first)
            return
        batch = pd.concat(list(chunks))
        first, newest, count = _with(batch, state)
        if _at_the_door(batch):
            state.remove()
            yield _row(key, "delivered", count, first)
        elif not state.exists:
            state.update((first, newest, count))
            state.setTimeoutTimestamp(newest + TWO_HOURS)

    return _by_parcel(scans, follow)


def wrong_timeout_in_whole_seconds(scans: DataFrame) -> DataFrame:
    """Cuts the fraction of a second off the timeout: the two hours end too soon."""
    follow = _follow(_at_the_door, lambda first, newest: (newest + TWO_HOURS) // 1000 * 1000)
    return _by_parcel(scans, follow)


def wrong_gap_within_a_batch_is_a_loss(scans: DataFrame) -> DataFrame:
    """Takes a parcel for lost also where two scans of one batch are more than two hours apart."""

    def follow(key: Any, chunks: Iterator[pd.DataFrame], state: GroupState) -> Iterator[Any]:
        frames = list(chunks)
        times = sorted(_ms(time) for frame in frames for time in frame["scanned_at"])
        if any(later - time > TWO_HOURS for time, later in itertools.pairwise(times)):
            yield _row(key, "lost", len(times), times[0])
            state.remove()
        else:
            yield from _follow(_at_the_door)(key, iter(frames), state)

    return _by_parcel(scans, follow)
