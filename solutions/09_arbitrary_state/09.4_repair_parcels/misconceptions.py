"""The broken pipeline, and repairs that leave one of its faults or put in another."""

from collections.abc import Callable, Iterator
from typing import Any

import pandas as pd
from pyspark.sql import DataFrame
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


def _arrived(batch: pd.DataFrame) -> bool:
    return bool((batch["place"] == "door").any())


def _end(key: Any, news: str, known: tuple[int, int, int], state: GroupState) -> pd.DataFrame:
    first, _, scans = known
    state.remove()
    return _row(key, news, scans, first)


def _wait(state: GroupState, first: int, newest: int, scans: int) -> None:
    state.update((first, newest, scans))
    state.setTimeoutTimestamp(newest + TWO_HOURS)


def as_it_was(scans: DataFrame) -> DataFrame:
    """The pipeline as it was

    P1 came to the door in step 3 and was not delivered; p4 was told to be lost more than once. There is more than one
    fault. Take one parcel at a time: p1 is scanned in three batches, p3 in two, p4 in one and then much later.
    Write down what the function remembers after each call.
    """
    first_scans: dict[str, int] = {}

    def follow(key: Any, chunks: Iterator[pd.DataFrame], state: GroupState) -> Iterator[Any]:
        (parcel,) = key
        if state.hasTimedOut:
            (count,) = state.get
            yield _row(key, "lost", count, first_scans.get(parcel))
            return
        batch = next(chunks)
        (count,) = state.get if state.exists else (0,)
        count += len(batch)
        earliest = _ms(batch["scanned_at"].min())
        first_scans[parcel] = min(first_scans.get(parcel, earliest), earliest)
        if _arrived(batch):
            state.remove()
            yield _row(key, "delivered", count, first_scans[parcel])
        elif not state.exists:
            state.update((count,))
            state.setTimeoutTimestamp(_ms(batch["scanned_at"].max()) + TWO_HOURS)

    return _by_parcel(scans, follow, "scans LONG")


def first_scan_in_a_dict(scans: DataFrame) -> DataFrame:
    """The first scan is forgotten

    Counts and times of the news are right; `first_scan` is not. P1 was first scanned in step 1, and p4, when it
    was lost, had no first scan at all. What a dictionary learned in one batch is gone in the next, and so is all
    that was not put into the state. Where does the count live?
    """
    first_scans: dict[str, int] = {}

    def follow(key: Any, chunks: Iterator[pd.DataFrame], state: GroupState) -> Iterator[Any]:
        if state.hasTimedOut:
            _, _, count = state.get
            state.remove()
            yield _row(key, "lost", count, first_scans.get(key[0]))
            return
        batch = pd.concat(list(chunks))
        _, newest, count = _with(batch, state)
        earliest = _ms(batch["scanned_at"].min())
        first_scans[key[0]] = min(first_scans.get(key[0], earliest), earliest)
        if _arrived(batch):
            state.remove()
            yield _row(key, "delivered", count, first_scans[key[0]])
            return
        _wait(state, 0, newest, count)

    return _by_parcel(scans, follow)


def the_first_piece(scans: DataFrame) -> DataFrame:
    """A piece taken for the whole group

    P1 came to the door in step 3, in the second piece of its group, and was not delivered in that step. A
    group comes as an iterator of pieces, here of two rows at most. `next(chunks)` is only the first.
    """

    def follow(key: Any, chunks: Iterator[pd.DataFrame], state: GroupState) -> Iterator[Any]:
        if state.hasTimedOut:
            yield _end(key, "lost", state.get, state)
            return
        batch = next(chunks)
        first, newest, count = _with(batch, state)
        if _arrived(batch):
            yield _end(key, "delivered", (first, newest, count), state)
            return
        _wait(state, first, newest, count)

    return _by_parcel(scans, follow)


def kept_only_at_first(scans: DataFrame) -> DataFrame:
    """Scans of the second batch are not kept

    P1 was delivered in its third batch, and the scan of its second was not counted. The function added it, and
    did not keep it. On which way through the function is `state.update` missing?
    """

    def follow(key: Any, chunks: Iterator[pd.DataFrame], state: GroupState) -> Iterator[Any]:
        if state.hasTimedOut:
            yield _end(key, "lost", state.get, state)
            return
        batch = pd.concat(list(chunks))
        first, newest, count = _with(batch, state)
        if _arrived(batch):
            yield _end(key, "delivered", (first, newest, count), state)
            return
        if not state.exists:
            state.update((first, newest, count))
        state.setTimeoutTimestamp(newest + TWO_HOURS)

    return _by_parcel(scans, follow)


def timeout_only_at_first(scans: DataFrame) -> DataFrame:
    """Lost parcels are missed when they were scanned in two batches

    P4, scanned in one batch, was lost in time; p2 and p3, scanned in two, never were. Who updates the
    state and sets no timeout has none, also when an earlier call had set one. Set it on every call that leaves something
    to wait for.
    """

    def follow(key: Any, chunks: Iterator[pd.DataFrame], state: GroupState) -> Iterator[Any]:
        if state.hasTimedOut:
            yield _end(key, "lost", state.get, state)
            return
        batch = pd.concat(list(chunks))
        known = state.exists
        first, newest, count = _with(batch, state)
        if _arrived(batch):
            yield _end(key, "delivered", (first, newest, count), state)
            return
        state.update((first, newest, count))
        if not known:
            state.setTimeoutTimestamp(newest + TWO_HOURS)

    return _by_parcel(scans, follow)


def not_removed_when_lost(scans: DataFrame) -> DataFrame:
    """A parcel that was lost is still kept, and told in every batch

    P3 was told to be lost in step 6 and in step 7, too; p4, found again and lost again, still had its old scan. After
    step 8 the query kept {steps.8.state} parcels where {asked.steps.8.state} is asked for. A timeout calls the function;
    it removes nothing, and as long as all stays as it was, it calls in every batch.
    """

    def follow(key: Any, chunks: Iterator[pd.DataFrame], state: GroupState) -> Iterator[Any]:
        if state.hasTimedOut:
            first, _, count = state.get
            yield _row(key, "lost", count, first)
            return
        batch = pd.concat(list(chunks))
        first, newest, count = _with(batch, state)
        if _arrived(batch):
            yield _end(key, "delivered", (first, newest, count), state)
            return
        _wait(state, first, newest, count)

    return _by_parcel(scans, follow)


def not_removed_at_the_door(scans: DataFrame) -> DataFrame:
    """A parcel that was delivered is still kept

    P5 was delivered in step 3 and reported lost later on. What has arrived is not waited for any more: neither
    its state nor a timeout may be left.
    """

    def follow(key: Any, chunks: Iterator[pd.DataFrame], state: GroupState) -> Iterator[Any]:
        if state.hasTimedOut:
            yield _end(key, "lost", state.get, state)
            return
        batch = pd.concat(list(chunks))
        first, newest, count = _with(batch, state)
        if _arrived(batch):
            yield _row(key, "delivered", count, first)
        _wait(state, first, newest, count)

    return _by_parcel(scans, follow)


def newest_of_the_batch(scans: DataFrame) -> DataFrame:
    """Two hours after the last batch's scans

    P3 was lost too early. Its second batch brought a scan that was older than the one known, and two hours were
    counted from that. A late scan makes no parcel older.
    """

    def follow(key: Any, chunks: Iterator[pd.DataFrame], state: GroupState) -> Iterator[Any]:
        if state.hasTimedOut:
            yield _end(key, "lost", state.get, state)
            return
        batch = pd.concat(list(chunks))
        first, _, count = _with(batch, state)
        newest = _ms(batch["scanned_at"].max())
        if _arrived(batch):
            yield _end(key, "delivered", (first, newest, count), state)
            return
        _wait(state, first, newest, count)

    return _by_parcel(scans, follow)
