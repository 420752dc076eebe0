"""Reasons in event time: times that cannot be right, windows that wait, a stream that holds the watermark."""

from __future__ import annotations

from grader.judging.instants import moment
from grader.live_query import event_times, phrases
from grader.live_query.observation import LONG_TRIGGER_MS, Observation, Reason

_WINDOWS = "In append mode a window is emitted when the watermark reaches its end."


def wrong_unit(seen: Observation) -> Reason | None:
    """Event times in January 1970, or thousands of years ahead: numbers read in the wrong unit."""
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
            f"watermark is {phrases.dated(event_times.watermark_of(seen))}.",
            "A number read in the wrong unit looks like that: "
            + (
                "seconds taken for milliseconds or microseconds, or milliseconds for microseconds."
                if early
                else "milliseconds taken for seconds, microseconds for milliseconds, or nanoseconds for microseconds."
            ),
            "Look at the digits of the number: F.timestamp_seconds reads one of ten, F.timestamp_millis one of "
            "thirteen, F.timestamp_micros one of sixteen. One of nineteen has nanoseconds: divide it by 1000. Then start "
            "with a fresh checkpoint.",
            event_times.standings(seen) if len(seen.streams) > 1 else (),
        )
    return None


def no_time(seen: Observation) -> Reason | None:
    """A stream in which every event time is null."""
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


def closes_with_next_batch(seen: Observation) -> Reason | None:
    """The watermark has reached a window's end, and the micro-batch that emits the window is still to come."""
    current = event_times.watermark_of(seen)
    if not seen.windows_wait or current is None or moment(seen.first_end) > moment(current):
        return None
    say = event_times.teller(seen)
    reached = (
        f"{phrases.so_far(seen)} The watermark ({say(current)}) has reached the end of a window "
        f"({say(seen.first_end)}); the next micro-batch gives it out"
    )
    means = "The watermark moves at the end of a micro-batch, and the next one acts on it."
    if not seen.active:
        again = phrases.start_again(seen)
        return Reason(
            "ended",
            f"{reached}, and there was none.",
            means,
            f"To get it, {again}.",
            event_times.dates(seen),
        )
    if seen.interval < LONG_TRIGGER_MS:
        wait = "Wait for it with query.processAllAvailable(), then ask again."
        return Reason("at_work", f"{reached}.", means, wait, event_times.dates(seen))
    return Reason(
        "waiting_for_trigger",
        f"{reached}, and the query waits for its next trigger.",
        f"{means} It starts when the trigger fires, every {phrases.length(seen.interval)}; the next time at "
        f"{phrases.next_trigger(seen)}.",
        "Wait until then, or start the query with a shorter processingTime.",
        event_times.dates(seen),
    )


def held_back(seen: Observation) -> Reason | None:
    """Several watermarks under `min`, and one that has no events in this run."""
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
        phrases.sentences(phrases.so_far(seen), event_times.state(seen), phrases.late(seen)),
        f"Of several watermarks the smallest counts (policy `min`), and {silent.name} has none: {said}. It holds "
        f"the time back for all.{forgot}",
        f"{look}{event_times.needed_events(seen)} If its silence must not count, set "
        "spark.sql.streaming.multipleWatermarkPolicy to max and start with a fresh checkpoint.",
        event_times.standings(seen),
    )


def window_open(seen: Observation) -> Reason | None:
    if not seen.waits_for_time or not seen.held:
        return None
    if seen.has("stream_join") and not seen.windows_wait:
        return None
    closed = seen.total("numRowsRemoved")
    none = (
        "No window has left the aggregation in this run."
        if seen.rows_out is None and not closed
        else ""
    )
    return Reason(
        "window_open",
        phrases.sentences(phrases.so_far(seen), none, event_times.state(seen), phrases.late(seen)),
        f"{_WINDOWS} {event_times.what_moves_it(seen)}",
        event_times.needed_events(seen),
        event_times.standings(seen),
    )


def _far_year(time: str) -> str:
    return f"the year {time.lstrip('+').split('-')[0]}"
