"""Reasons in event time: where the watermark stands, which stream holds it, which event would move it."""

from __future__ import annotations

from collections.abc import Callable

from grader.judging.instants import clock, moment
from grader.live_query import phrases
from grader.live_query.observation import (
    LONG_TRIGGER_MS,
    Observation,
    Reason,
    TimedStream,
    shifted,
)

_WINDOWS = "In append mode a window comes out when the watermark reaches its end."


def wrong_unit(seen: Observation) -> Reason | None:
    """Event times in January 1970, or thousands of years ahead: numbers read in another unit."""
    for stream in seen.streams:
        if stream.newest is None or stream.without_time:
            continue
        early, far = stream.newest.startswith("1970-01-"), stream.newest.startswith("+")
        if not early and not far:
            continue
        when = phrases.dated(stream.newest) if early else _far_year(stream.newest)
        return Reason(
            "wrong_unit",
            f"{phrases.so_far(seen)} By `{stream.column}` the newest event of {stream.name} is of {when}, and the "
            f"watermark stands at {phrases.dated(_watermark(seen))}.",
            "A number read in the wrong unit looks like that: "
            + (
                "seconds taken for milliseconds or microseconds, or milliseconds for microseconds."
                if early
                else "milliseconds taken for seconds, or microseconds for milliseconds."
            ),
            "Look at the digits of the number: F.timestamp_seconds reads one of ten, F.timestamp_millis one of "
            "thirteen, F.timestamp_micros one of sixteen. Then start with a fresh checkpoint.",
            _standings(seen) if len(seen.streams) > 1 else (),
        )
    return None


def no_time(seen: Observation) -> Reason | None:
    """A stream of which every event time is null."""
    blind = next((stream for stream in seen.streams if stream.without_time), None)
    if blind is None or (seen.rows_out and not seen.waits_for_time):
        return None
    whose = f" of {blind.name}" if len(seen.streams) > 1 else ""
    others = " and ".join(stream.name for stream in seen.streams if stream is not blind)
    holds = f" Under the policy `min` it holds back {others}, too." if others else ""
    return Reason(
        "no_event_time",
        f"{phrases.so_far(seen)} No row{whose} had a time in `{blind.column}` that could be read: all are null.",
        "A time that does not parse is null; null moves no watermark, and belongs to no window."
        + (holds if seen.policy == "min" else ""),
        "Show the event-time column of a few rows; compare its text with the type or the format you parse it with.",
    )


def all_late(seen: Observation) -> Reason | None:
    dropped = seen.total("numRowsDroppedByWatermark")
    if not dropped or seen.total("numRowsUpdated") or seen.rows_out:
        return None
    if seen.total("numDroppedDuplicateRows"):
        return None
    counted = (
        "; an aggregation adds up a batch by group first, so this counts groups, not events"
        if seen.has("aggregate")
        else ""
    )
    say = _teller(seen)
    newest = [say(stream.newest) for stream in seen.streams if stream.newest is not None]
    newest_text = f" The newest event of this run was of {newest[0]}." if len(newest) == 1 else ""
    return Reason(
        "all_late",
        f"{phrases.so_far(seen)} All that reached the stateful operator was dropped as late (Spark reports "
        f"{phrases.rows(dropped)}{counted}). The watermark stands at {say(seen.batch_watermark)}.{newest_text}",
        "What came is behind the watermark: its window, or its time, is over. A watermark never goes back.",
        "Look for one event from the future that moved the watermark, or allow more lateness in withWatermark; "
        "both need a fresh checkpoint.",
    )


def closes_with_next_batch(seen: Observation) -> Reason | None:
    """The watermark has reached a window's end, and the micro-batch that gives it out is still to come."""
    current = _watermark(seen)
    if not seen.windows_wait or current is None or moment(seen.first_end) > moment(current):
        return None
    say = _teller(seen)
    reached = (
        f"{phrases.so_far(seen)} The watermark ({say(current)}) has reached the end of a window "
        f"({say(seen.first_end)}); the next micro-batch gives it out"
    )
    means = "The watermark moves at the end of a micro-batch, and the next one acts on it."
    if not seen.active:
        again = phrases.start_again(seen)
        return Reason("ended", f"{reached}, and there was none.", means, f"To get it, {again}.")
    if seen.interval < LONG_TRIGGER_MS:
        wait = "Wait for it with query.processAllAvailable(), then ask again."
        return Reason("at_work", f"{reached}.", means, wait)
    return Reason(
        "waiting_for_trigger",
        f"{reached}, and the query waits for its next trigger.",
        f"{means} It starts when the trigger fires, every {phrases.length(seen.interval)}; the next time at "
        f"{phrases.next_trigger(seen)}.",
        "Wait till then, or start the query with a shorter processingTime.",
    )


def held_back(seen: Observation) -> Reason | None:
    """Several watermarks under `min`, and one that has nothing to say in this run."""
    silent = next((stream for stream in seen.streams if stream.newest is None), None)
    if silent is None or len(seen.streams) < 2 or seen.policy != "min":
        return None
    if not seen.waits_for_time or not seen.held:
        return None
    if silent.records is None:
        said = "no row has reached its withWatermark in this run"
    elif silent.records:
        said = f"{phrases.records(silent.records)} came in from it, and none got as far as its withWatermark"
    else:
        said = "no event has come from it in this run"
    forgot = (
        " A query that is started again knows the old watermark, and no more how far each stream had come."
        if seen.resumed
        else ""
    )
    look = f"See what comes before the withWatermark of {silent.name}. " if silent.records else ""
    return Reason(
        "idle_source",
        phrases.sentences(phrases.so_far(seen), _state(seen), phrases.late(seen)),
        f"Of several watermarks the smallest counts (policy `min`), and {silent.name} has none: {said}. It holds "
        f"the time back for all.{forgot}",
        f"{look}{_needed(seen)} If its silence must not count, set spark.sql.streaming.multipleWatermarkPolicy to "
        "max and start with a fresh checkpoint.",
        _standings(seen),
    )


def window_open(seen: Observation) -> Reason | None:
    if not seen.waits_for_time or not seen.held or seen.has("stream_join"):
        return None
    known = [stream for stream in seen.streams if stream.watermark is not None]
    slowest = min(known, key=lambda stream: moment(stream.watermark or ""), default=None)
    why = "It moves with events, not with the clock: when they stop, time stops."
    if len(seen.streams) > 1 and seen.policy == "max":
        why = "Of several watermarks the largest counts (policy `max`)."
    elif len(seen.streams) > 1 and slowest is not None:
        why = f"Of several watermarks the smallest counts (policy `min`), here that of {slowest.name}."
    closed = seen.total("numRowsRemoved")
    none = (
        "No window has left the aggregation in this run."
        if seen.rows_out is None and not closed
        else ""
    )
    return Reason(
        "window_open",
        phrases.sentences(phrases.so_far(seen), none, _state(seen), phrases.late(seen)),
        f"{_WINDOWS} {why}",
        _needed(seen),
        _standings(seen),
    )


def one_side_empty(seen: Observation) -> Reason | None:
    """A join of streams, one of which has brought nothing yet, in this run or before."""
    if not seen.has("stream_join") or seen.rows_out or seen.resumed or seen.records is None:
        return None
    if not seen.whole:  # what came before the batches that Spark still tells of, nobody knows
        return None
    silent = " and ".join(name for name, count in seen.records.items() if not count)
    if not silent:
        return None
    outer = any("outer" in join.text for join in seen.of("stream_join"))
    return Reason(
        "idle_source",
        f"{phrases.so_far(seen)} {silent}, an input of the join, has brought nothing yet.",
        "A pair needs a row of each side"
        + (", and a row without a partner waits until the watermark says so." if outer else "."),
        f"Send events to {silent}, and compare the topic's name with the producer's.",
    )


def join_without_match(seen: Observation) -> Reason | None:
    join = next((op for op in seen.operators if "Join" in op.get("operatorName", "")), None)
    if join is None or len(seen.operators) > 1 or seen.rows_out != 0 or not join["numRowsTotal"]:
        return None  # what stands behind it may hold its pairs, or nobody counts what came out
    kind = next((step.text for step in seen.of("stream_join")), "")
    outer = "outer" in kind
    held = join["numRowsTotal"]
    return Reason(
        "no_match",
        f"{phrases.so_far(seen)} {phrases.rows(held)} {'waits' if held == 1 else 'wait'} in the state of the {kind} "
        "join, and no row has come out.",
        "A join gives out a pair when the second of its rows comes"
        + (
            ", an outer join a row without a partner when the watermark says that none can come any more."
            if outer
            else "."
        ),
        "Compare the keys and the times of the two inputs"
        + ("; send later events to both for the rows without a partner." if outer else "."),
        _standings(seen),
    )


def _watermark(seen: Observation) -> str | None:
    """The watermark of the query; None while no event has set one."""
    if seen.watermark is None or seen.watermark.startswith("1970-01-01T00:00:00Z"):
        return seen.batch_watermark
    return seen.watermark


def _teller(seen: Observation) -> Callable[[str | None], str]:
    """How to tell times: by the clock, and with their dates where those differ."""
    newest = [stream.newest for stream in seen.streams]
    times = [_watermark(seen), seen.batch_watermark, *seen.window_ends, *newest]
    dates = {moment(time).date() for time in times if time is not None}
    return phrases.dated if len(dates) > 1 else clock


def _state(seen: Observation) -> str:
    """How much waits in state, until when, and where the watermark stands."""
    current = _watermark(seen)
    say = _teller(seen)
    mark = (
        "there is no watermark yet"
        if current is None
        else f"the watermark stands at {say(current)}"
    )
    waits = f"{phrases.rows(seen.held)} {'waits' if seen.held == 1 else 'wait'} in state"
    if not seen.windows_wait:
        return f"{waits}; {mark}."
    whose = "its window" if seen.held == 1 else "the first of their windows"
    return f"{waits}; {whose} ends at {say(seen.first_end)}, and {mark}."


def _standings(seen: Observation) -> tuple[str, ...]:
    """A line for each watermark: its newest event, its delay, where that brings it."""
    say = _teller(seen)
    lines = []
    for stream in seen.streams:
        delay = phrases.length(stream.delay)
        lines.append(
            f"  {stream.name}: no event in this run (delay {delay})"
            if stream.newest is None
            else f"  {stream.name}: newest event {say(stream.newest)}, less the delay of {delay}: "
            f"{say(stream.watermark)}"
        )
    return tuple(lines)


def _needed(seen: Observation) -> str:
    """The event that would close the first window, stream by stream: its end and the delay."""
    asked = [
        stream
        for stream in seen.streams
        # started again, a query has forgotten how far each stream was
        if not seen.active or seen.policy == "max" or _is_behind(stream, seen)
    ]
    again = "" if seen.active else f", and {phrases.start_again(seen)}"
    if not seen.windows_wait or not asked:
        return f"Send later events{again}."
    say = _teller(seen)
    events = [
        f"an event of {say(shifted(seen.first_end, stream.delay))} or later to {stream.name}"
        for stream in asked
    ]
    joined = (" or " if seen.policy == "max" else " and ").join(events)
    together = " in one run" if len(events) > 1 and seen.policy == "min" and again else ""
    return f"Send {joined}{together}{again}. That is the end of the window and the delay."


def _is_behind(stream: TimedStream, seen: Observation) -> bool:
    return stream.watermark is None or moment(stream.watermark) < moment(seen.first_end)


def _far_year(time: str) -> str:
    return f"the year {time.lstrip('+').split('-')[0]}"
