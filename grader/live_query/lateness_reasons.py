"""Reasons in late rows: what was dropped, and which event or partition has moved the watermark past it."""

from __future__ import annotations

from datetime import timedelta
from itertools import pairwise

from grader.judging.instants import moment
from grader.live_query import event_times, phrases
from grader.live_query.observation import (
    Observation,
    Reason,
    SampledTime,
    TimedStream,
    operators_of,
)

# event times that are further ahead of the others than this, and than ten delays, count as far ahead
_FAR = timedelta(hours=1)


def far_time(seen: Observation) -> Reason | None:
    """A few event times far ahead of the others; they have moved the watermark, and others came after them."""
    for name, sample in seen.samples.items():
        stream = next((one for one in seen.streams if name in one.inputs), None)
        ahead = _ahead(sample.times, stream) if stream is not None else []
        if not ahead or stream is None:
            continue
        others = [one for one in sample.times if one not in ahead]
        newest = max((one.time for one in others), key=moment)
        first = ahead[0]
        future = (
            ", a time that has not come yet by this machine's clock"
            if _is_future(first.time, seen)
            else ""
        )
        return Reason(
            "far_time",
            f"{phrases.so_far(seen)} {len(ahead)} of {phrases.events(len(sample.times))} of {name} "
            f"{'is' if len(ahead) == 1 else 'are'} far ahead of the others in `{stream.column}`: "
            f"{phrases.dated(first.time)} (partition {first.partition}, offset {first.offset}){future}. The newest of the "
            f"others is of {phrases.dated(newest)}.",
            "The newest event time moves the watermark, and a watermark never goes back. What is older than it is "
            "dropped as late until the other events have come as far.",
            "Find out where this time comes from: is it a local time, in a string without a time zone? Keep such events "
            "out before withWatermark, for instance with where(event_time < current_timestamp() + INTERVAL 1 HOUR), "
            "and start with a fresh checkpoint.",
            (f"  The watermark is {phrases.dated(event_times.watermark_of(seen))}.",),
        )
    return None


def _ahead(times: tuple[SampledTime, ...], stream: TimedStream) -> list[SampledTime]:
    """The events beyond the largest gap in time, if they are the fewer and others came after them."""
    ordered = sorted(times, key=lambda one: moment(one.time))
    gaps = [
        (moment(later.time) - moment(earlier.time), index)
        for index, (earlier, later) in enumerate(pairwise(ordered), 1)
    ]
    gap, index = max(gaps, default=(timedelta(0), 0))
    few, many = ordered[index:], ordered[:index]
    if gap < max(10 * timedelta(milliseconds=stream.delay), _FAR) or len(few) > len(many):
        return []
    reached = stream.newest is None or moment(stream.newest) >= moment(few[0].time)
    came_after = any(
        one.partition == other.partition and one.offset < other.offset
        for one in few
        for other in many
    )
    return few if reached and came_after else []


def future_time(seen: Observation) -> Reason | None:
    """Event times that this machine's clock has not reached."""
    newest = [stream for stream in seen.streams if stream.newest is not None]
    ahead = next((one for one in newest if _is_future(one.newest or "", seen)), None)
    if ahead is None:
        return None
    return Reason(
        "future_time",
        f"The newest event of {ahead.name} is of {phrases.dated(ahead.newest)}, and this machine's clock is at "
        f"{phrases.dated(seen.now[:19] + 'Z')}.",
        "An event of the future makes all that comes with the right time late.",
        f"Look at `{ahead.column}` of a few rows: a wrong year, a wrong unit, or a clock that is set wrong.",
    )


def _is_future(time: str, seen: Observation) -> bool:
    return bool(seen.now) and moment(time) > moment(seen.now) + timedelta(days=1)


def all_late(seen: Observation) -> Reason | None:
    dropped = seen.total("numRowsDroppedByWatermark")
    if not dropped or seen.total("numRowsUpdated") or seen.rows_out:
        return None
    if seen.total("numDroppedDuplicateRows"):
        return None
    say = event_times.teller(seen)
    newest = [say(stream.newest) for stream in seen.streams if stream.newest is not None]
    newest_text = f" The newest event of this run was of {newest[0]}." if len(newest) == 1 else ""
    return Reason(
        "all_late",
        f"{phrases.so_far(seen)} All that reached the stateful operator was dropped as late (Spark reports "
        f"{phrases.rows(dropped)}{_groups(seen)}). The watermark is {say(seen.batch_watermark)}.{newest_text}",
        "What came is behind the watermark: its window, or its time, is over. A watermark never goes back.",
        "Look for one event from the future that moved the watermark, or allow more lateness in withWatermark; "
        "both need a fresh checkpoint.",
        event_times.dates(seen),
    )


def partitions_apart(seen: Observation) -> Reason | None:
    """Partitions of a topic that are further apart in event time than the delay, and rows dropped as late."""
    if not seen.total("numRowsDroppedByWatermark"):
        return None
    for name, sample in seen.samples.items():
        stream = next((one for one in seen.streams if name in one.inputs), None)
        spans = _spans(sample.times)
        if stream is None or len(spans) < 2:
            continue
        slow, fast = (pick(spans, key=lambda p: moment(spans[p][1])) for pick in (min, max))
        lag = moment(spans[fast][1]) - moment(spans[slow][1])
        if lag <= timedelta(milliseconds=stream.delay):
            continue
        say = event_times.teller(seen)
        return Reason(
            "partitions_apart",
            f"{phrases.late(seen).rstrip('.')}{_groups(seen)}. Partition {slow} of {name} is "
            f"{phrases.length(int(lag.total_seconds() * 1000))} behind partition {fast} in event time, and the delay "
            f"is {phrases.length(stream.delay)}.",
            "A topic has one watermark, and its newest event sets it, from whichever partition it comes. While a "
            "backlog is read, a micro-batch takes some records of each partition; those of a partition that lags are "
            "late by then.",
            "Set the delay to more than the lag between partitions; or read the backlog in one micro-batch (without "
            "maxOffsetsPerTrigger), where no row is late. Both need a fresh checkpoint.",
            tuple(
                f"  partition {part}: events from {say(first)} to {say(last)}"
                for part, (first, last) in sorted(spans.items())
            ),
        )
    return None


def _spans(times: tuple[SampledTime, ...]) -> dict[int, tuple[str, str]]:
    """The oldest and the newest event time of each partition."""
    found: dict[int, tuple[str, str]] = {}
    for one in times:
        first, last = found.get(one.partition, (one.time, one.time))
        found[one.partition] = min(first, one.time, key=moment), max(last, one.time, key=moment)
    return found


def late_rows(seen: Observation) -> Reason | None:
    """Some rows were dropped as late; others were counted."""
    dropped = seen.total("numRowsDroppedByWatermark")
    if not dropped:
        return None
    say = event_times.teller(seen)
    batch = next(
        e for e in seen.batches if any(o.get("numRowsDroppedByWatermark") for o in operators_of(e))
    )
    time = batch.get("eventTime", {})
    when = (
        f" Micro-batch {batch['batchId']} had events from {say(time['min'])} to {say(time['max'])}, and the watermark "
        f"was {say(time['watermark'])}."
        if len(seen.streams) == 1 and "min" in time
        else ""
    )
    return Reason(
        "late_rows",
        f"{phrases.late(seen)}{when}",
        "A row is late if its window has closed, or its time has passed, by the watermark of the micro-batch before"
        f"{_groups(seen)}.",
        "If these rows must count, set a longer delay in withWatermark and start with a fresh checkpoint.",
        event_times.dates(seen),
    )


def _groups(seen: Observation) -> str:
    return (
        "; an aggregation adds up a batch by group first, so this counts groups, not events"
        if seen.has("aggregate")
        else ""
    )
