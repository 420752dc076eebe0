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


def _half_mended(
    scans: DataFrame,
    *,
    removes: bool = False,
    all_pieces: bool = False,
    keeps: bool = False,
    first_kept: bool = False,
) -> DataFrame:
    """The pipeline with some of its lines mended, and all others as they were."""
    first_scans: dict[str, int] = {}

    def follow(key: Any, chunks: Iterator[pd.DataFrame], state: GroupState) -> Iterator[Any]:
        (parcel,) = key
        known, count, first = state.exists, 0, first_scans.get(parcel)
        if known:
            count, kept = state.get
            first = kept if first_kept else first
        if state.hasTimedOut:
            if removes:
                state.remove()
            yield _row(key, "lost", count, first)
            return
        batch = pd.concat(list(chunks)) if all_pieces else next(chunks)
        count += len(batch)
        earliest = _ms(batch["scanned_at"].min())
        first = min(earliest if first is None else first, earliest)
        first_scans[parcel] = first
        if _arrived(batch):
            state.remove()
            yield _row(key, "delivered", count, first)
        elif keeps or not known:
            state.update((count, first))
            state.setTimeoutTimestamp(_ms(batch["scanned_at"].max()) + TWO_HOURS)

    return _by_parcel(scans, follow, "scans LONG, first LONG")


def removed_when_lost(scans: DataFrame) -> DataFrame:
    """Lost once each, p1 as well, and without a first scan

    P1 was at the door in step 3, in the last of its three scans there, and was told to be lost in step 6. None that was
    lost had a first scan. How many scans are there in `next(chunks)`? And what does a dictionary that was filled in
    step 1 hold in step 6?
    """
    return _half_mended(scans, removes=True)


def all_pieces(scans: DataFrame) -> DataFrame:
    """Delivered with too few scans, and lost again and again

    P1 was delivered in step 3, with five scans of six and a first scan of 09:10:00. P4 was lost in step 5 without a first
    scan, and in step 6 again. What is kept of a parcel that is known already, and where? And what is left of one whose
    time is up?
    """
    return _half_mended(scans, all_pieces=True)


def else_for_elif(scans: DataFrame) -> DataFrame:
    """P1 is lost in the end, and p3 again and again

    P1 was at the door in step 3, and was lost in step 8 with six scans. P3 was lost in step 4, too early, and told so in
    every step after that. None that was lost had a first scan. Which pieces of a group does the function see? What is
    left of a parcel whose time is up? And what does it know in step 4 that it was not told in that very batch?
    """
    return _half_mended(scans, keeps=True)


def first_kept(scans: DataFrame) -> DataFrame:
    """First scans are known, and p1 is lost again and again

    Whoever was lost had a first scan. P1 was at the door in step 3, in the last of its three scans there; it was told to be
    lost in step 6, and in step 7 again. Which pieces of a group does the function see, and what is left of a parcel whose
    time is up?
    """
    return _half_mended(scans, first_kept=True)


def removed_and_all_pieces(scans: DataFrame) -> DataFrame:
    """Lost once each, and with the scans of one batch

    P2 was lost in step 6 with three scans of five, though it was scanned at 09:05:00, and it had no first scan. P1 was
    delivered with five of six, and a first scan of 09:10:00. On which way through the function does a parcel go that
    is known and not at the door? What is kept there, where, and until when is it waited for?
    """
    return _half_mended(scans, removes=True, all_pieces=True)


def removed_and_first_kept(scans: DataFrame) -> DataFrame:
    """First scans are known, and p1 is lost, not delivered

    P1 was at the door in step 3, in the last of its three scans there, and was told to be lost in step 6, with two scans. It
    had been scanned six times. Which pieces of a group does the function see, and which way does a parcel take that is
    known and not at the door?
    """
    return _half_mended(scans, removes=True, first_kept=True)


def all_but_the_first_scan(scans: DataFrame) -> DataFrame:
    """All are counted, first scans are forgotten, and p3 is lost too early

    P1 was delivered with all six scans and a first scan of 09:10:00, that of its last batch; whoever was lost had none. P3
    was lost in step 4, two hours after the 08:11:00 of its second batch, though it had been scanned at 08:14:00. What
    must be known of a parcel's earlier batches, and where does the function keep it?
    """
    return _half_mended(scans, removes=True, all_pieces=True, keeps=True)


def nothing_of_a_second_batch(scans: DataFrame) -> DataFrame:
    """Nothing is kept of a parcel's second batch

    P1 was delivered with five scans of six: that of step 2 is not among them. P2 was lost in step 6, with the three scans
    of step 1 and two hours after these, though it was scanned at 09:05:00. Which way through the function does a parcel
    take that is known and not at the door? What is kept there, and until when is it waited for?
    """
    return _half_mended(scans, removes=True, all_pieces=True, first_kept=True)


def all_but_the_removal(scans: DataFrame) -> DataFrame:
    """Lost again and again, and p3 too early

    P3 was lost in step 4, two hours after the 08:11:00 of its second batch, though it had been scanned at 08:14:00, and it
    was lost again in every step after that. After step 8 the query kept {steps.8.state} parcels where {asked.steps.8.state}
    is asked for. From which scan do two hours count, and what is left of a parcel whose time is up?
    """
    return _half_mended(scans, all_pieces=True, keeps=True, first_kept=True)


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


def first_of_the_last_batch(scans: DataFrame) -> DataFrame:
    """The first scan is that of the last batch

    News, counts and steps are right. P1's first scan was told as 09:10:00, the earliest of step 3, though it was scanned
    in step 1. What the state knows of the first scan was not held against what the batch brings.
    """

    def follow(key: Any, chunks: Iterator[pd.DataFrame], state: GroupState) -> Iterator[Any]:
        if state.hasTimedOut:
            yield _end(key, "lost", state.get, state)
            return
        batch = pd.concat(list(chunks))
        _, newest, count = _with(batch, state)
        first = _ms(batch["scanned_at"].min())
        if _arrived(batch):
            yield _end(key, "delivered", (first, newest, count), state)
            return
        _wait(state, first, newest, count)

    return _by_parcel(scans, follow)


def first_never_lowered(scans: DataFrame) -> DataFrame:
    """A late scan does not become the first

    P3's first scan was told as 08:14:00. The one of 08:11:00 came after that, in step 2, and it is the earlier of the two.
    What comes first is not always the earliest: events have times.
    """

    def follow(key: Any, chunks: Iterator[pd.DataFrame], state: GroupState) -> Iterator[Any]:
        if state.hasTimedOut:
            yield _end(key, "lost", state.get, state)
            return
        batch = pd.concat(list(chunks))
        first, newest, count = _with(batch, state)
        first = state.get[0] if state.exists else first
        if _arrived(batch):
            yield _end(key, "delivered", (first, newest, count), state)
            return
        _wait(state, first, newest, count)

    return _by_parcel(scans, follow)


def old_state_left_at_the_door(scans: DataFrame) -> DataFrame:
    """What was known before the door is still kept

    P1 was delivered in step 3, and after that step the query kept {steps.3.state} parcels where {asked.steps.3.state} are
    asked for. Sent back in step 6, p1 went on with its old scans. What has arrived is not waited for any more: neither its
    state nor a timeout may be left.
    """

    def follow(key: Any, chunks: Iterator[pd.DataFrame], state: GroupState) -> Iterator[Any]:
        if state.hasTimedOut:
            yield _end(key, "lost", state.get, state)
            return
        batch = pd.concat(list(chunks))
        first, newest, count = _with(batch, state)
        if _arrived(batch):
            yield _row(key, "delivered", count, first)
            return
        _wait(state, first, newest, count)

    return _by_parcel(scans, follow)
