"""The broken pipeline, and repairs that leave one of its faults or add another."""

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


def _right(waits: int = TWO_HOURS) -> Follow:
    """The repaired function, with a timeout of this many milliseconds."""

    def follow(key: Any, chunks: Iterator[pd.DataFrame], state: GroupState) -> Iterator[Any]:
        if state.hasTimedOut:
            yield _end(key, "lost", state.get, state)
            return
        batch = pd.concat(list(chunks))
        first, newest, count = _with(batch, state)
        if _arrived(batch):
            yield _end(key, "delivered", (first, newest, count), state)
            return
        state.update((first, newest, count))
        state.setTimeoutTimestamp(newest + waits)

    return follow


def as_it_was(scans: DataFrame) -> DataFrame:
    """The broken query, unchanged

    P1 was at the door in step 3 and was not delivered; p4 was reported lost more than once. There is more
    than one fault. Take one parcel at a time: p1 is scanned in three batches, p3 in two, p4 in one and then
    much later. What does the function remember after each call?
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
    """The pipeline with some of its lines repaired, and all others as they were."""
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
    """First chunk only, and first scans in a dictionary

    P1 was at the door in step 3, in the last of its three scans there, and was reported lost in step 6. No
    lost parcel had a first scan. How many scans does `next(chunks)` return? And what does a dictionary that
    was filled in step 1 hold in step 6?
    """
    return _half_mended(scans, removes=True)


def all_pieces(scans: DataFrame) -> DataFrame:
    """Later batches not kept, and lost parcels not removed

    P1 was delivered in step 3, with five scans of six and a first scan of 09:10:00. P4 was lost in step 5
    without a first scan, and in step 6 again. For a parcel that is known already, what do you keep, and
    where? And what do you remove when its timeout has passed?
    """
    return _half_mended(scans, all_pieces=True)


def else_for_elif(scans: DataFrame) -> DataFrame:
    """First chunk only, wrong timeout, and lost parcels not removed

    P1 was at the door in step 3, and was lost in step 8 with six scans. P3 was lost in step 4, too early,
    and again in every step after that. No lost parcel had a first scan. Which chunks does the function
    read, what does a timeout call remove, and which times of earlier batches does it know in step 4?
    """
    return _half_mended(scans, keeps=True)


def first_kept(scans: DataFrame) -> DataFrame:
    """First chunk only, and lost parcels not removed

    Every lost parcel had a first scan. P1 was at the door in step 3, in the last of its three scans there.
    It was reported lost in step 6, and in step 7 again. Which chunks of a group does the function read, and
    what does a timeout call remove?
    """
    return _half_mended(scans, first_kept=True)


def removed_and_all_pieces(scans: DataFrame) -> DataFrame:
    """Known parcels not updated

    P2 was lost in step 6 with three scans of five, though it was scanned at 09:05:00, and it had no first
    scan. P1 was delivered with five of six, and a first scan of 09:10:00. Follow a parcel that is known and
    not at the door: what is kept, where, and which timeout is set?
    """
    return _half_mended(scans, removes=True, all_pieces=True)


def removed_and_first_kept(scans: DataFrame) -> DataFrame:
    """First chunk only, and known parcels not updated

    P1 was at the door in step 3, in the last of its three scans there. It was reported lost in step 6 with
    two scans, though it had six. Which chunks of a group does the function read, and what happens to a
    parcel that is known and not at the door?
    """
    return _half_mended(scans, removes=True, first_kept=True)


def all_but_the_first_scan(scans: DataFrame) -> DataFrame:
    """First and newest scan of earlier batches lost

    P1 was delivered with all six scans and a first scan of 09:10:00, from its last batch. No lost parcel
    had a first scan. P3 was lost in step 4, two hours after 08:11:00 in its second batch, though it had a
    scan of 08:14:00. Which times of earlier batches must be in the state?
    """
    return _half_mended(scans, removes=True, all_pieces=True, keeps=True)


def nothing_of_a_second_batch(scans: DataFrame) -> DataFrame:
    """Second batch not kept

    P1 was delivered with five scans of six: that of step 2 is missing. P2 was lost in step 6 with the three
    scans of step 1, two hours after these, though it was scanned at 09:05:00. Follow a parcel that is known
    and not at the door: what is kept, and which timeout is set?
    """
    return _half_mended(scans, removes=True, all_pieces=True, first_kept=True)


def all_but_the_removal(scans: DataFrame) -> DataFrame:
    """Lost parcels not removed, and a timeout from the last batch

    P3 was lost in step 4, two hours after 08:11:00 in its second batch, though it had a scan of 08:14:00.
    It was lost again in every step after that. After step 8 the query kept {steps.8.state} parcels;
    {asked.steps.8.state} is expected. From which scan do the two hours count, and what does a timeout call
    remove?
    """
    return _half_mended(scans, all_pieces=True, keeps=True, first_kept=True)


def first_scan_in_a_dict(scans: DataFrame) -> DataFrame:
    """First scan kept outside the state

    Counts and steps are right; `first_scan` is not. P1 was first scanned in step 1, and p4 had no first
    scan when it was lost. What a dictionary learns in one batch is lost in the next. The count survives:
    where is it stored?
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
    """First chunk taken for the whole group

    P1 was at the door in step 3, in the second chunk of its group, and was not delivered in that step. A
    group arrives as an iterator of chunks, here of at most two rows. `next(chunks)` is only the first. How
    do you read all of them?
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
    """State not updated for known parcels

    P1 was delivered in its third batch, and the scan of its second batch was not counted. The function
    added that scan and did not keep it. On which path through the function is `state.update` missing?
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
    """Timeout set in the first call only

    P4, scanned in one batch, was lost in time. P2 and p3, scanned in two batches, were never reported. If a
    call updates the state without setting a timeout, any earlier timeout is cleared. Which of your calls
    set one?
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
    """Lost parcel kept in the state

    P3 was reported lost in step 6 and again in step 7. P4, found again and lost again, still had its old
    scan. After step 8 the query kept {steps.8.state} parcels; {asked.steps.8.state} is expected. A timeout
    calls the function and removes nothing. Where do you call `state.remove()`?
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
    """Delivered parcel kept in the state

    P5 was delivered in step 3 and reported lost later. After a delivery, neither the state nor a timeout
    may be left. What does your function do after it has yielded "delivered"?
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
    """Timeout from the newest scan of the batch

    P3 was lost too early. Its second batch has a scan that is older than the known one, and the two hours
    were counted from that scan. Which newest scan counts: that of this batch, or that of all batches?
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
    """First scan of the last batch instead of all batches

    News, counts and steps are right. P1's `first_scan` was 09:10:00, the earliest of step 3, though it was
    scanned in step 1. Do you compare the earliest scan of the batch with the one in the state?
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
    """First scan by order of arrival

    P3's `first_scan` was 08:14:00. The scan of 08:11:00 arrived later, in step 2, and is the earlier one.
    Arrival and event time differ. Which of the two times do you keep when a batch has an earlier scan?
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
    """Old state kept after delivery

    P1 was delivered in step 3, and after that step the query kept {steps.3.state} parcels;
    {asked.steps.3.state} are expected. In step 6, p1 was sent back and continued with its old scans. After
    a delivery, neither the state nor a timeout may be left. Which call removes them?
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


def two_hours_in_seconds(scans: DataFrame) -> DataFrame:
    """Two hours counted in seconds

    P3 was lost in step 2. Its newest scan is of 08:14:00, and the watermark was {steps.2.watermark}. The calls on
    the state use milliseconds. Of these, 7,200 are 7.2 seconds, and two hours are 7,200,000. How many do you add?
    """
    return _by_parcel(scans, _right(waits=2 * 60 * 60))


def scans_with_a_place_only(scans: DataFrame) -> DataFrame:
    """Scans with a null place filtered out

    P1 was delivered in step 3 with five scans of six, and its scan of 09:29:00 has a null `place`. Such a scan
    counts. Where are rows without a place filtered out?
    """
    return _by_parcel(scans.where("place IS NOT NULL"), _right())


def doorways_are_doors(scans: DataFrame) -> DataFrame:
    """Every place with "door" in its name taken for the door

    P6 was scanned at the `doorway` in step 5, and was reported delivered. The task says `"door"`, and no other place.
    How do you compare the place?
    """

    def follow(key: Any, chunks: Iterator[pd.DataFrame], state: GroupState) -> Iterator[Any]:
        if state.hasTimedOut:
            yield _end(key, "lost", state.get, state)
            return
        batch = pd.concat(list(chunks))
        first, newest, count = _with(batch, state)
        if batch["place"].str.contains("door", na=False).any():
            yield _end(key, "delivered", (first, newest, count), state)
            return
        _wait(state, first, newest, count)

    return _by_parcel(scans, follow)
