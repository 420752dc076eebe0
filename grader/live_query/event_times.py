"""Event time in words: what the watermark is, what advances it, which events would advance it."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date

from grader.judging.instants import clock, moment
from grader.live_query import phrases
from grader.live_query.observation import Observation, TimedStream, shifted


def watermark_of(seen: Observation) -> str | None:
    """The watermark of the query; None while no event has set one."""
    if seen.watermark is None or seen.watermark.startswith("1970-01-01T00:00:00Z"):
        return seen.batch_watermark
    return seen.watermark


def teller(seen: Observation) -> Callable[[str | None], str]:
    """How to write times: by the clock, and with their dates if those differ."""
    return phrases.dated if len(_days(seen)) > 1 else clock


def _days(seen: Observation) -> set[date]:
    times = [watermark_of(seen), seen.batch_watermark, *seen.window_ends, *seen.times]
    return {moment(time).date() for time in times if time is not None}


def dates(seen: Observation) -> tuple[str, ...]:
    """The date that all times of a message have, and how far it is from today."""
    days = _days(seen)
    if len(days) != 1 or not seen.now:
        return ()
    day = next(iter(days))
    apart = (day - moment(seen.now).date()).days
    if not apart:
        return ()
    when = f"{abs(apart)} day{'s' if abs(apart) != 1 else ''} {'after' if apart > 0 else 'before'} today"
    return (f"  All event times here are of {day} (UTC), {when}.",)


def state(seen: Observation) -> str:
    """How much waits in state, until when, and what the watermark is."""
    current = watermark_of(seen)
    say = teller(seen)
    mark = "there is no watermark yet" if current is None else f"the watermark is {say(current)}"
    waits = f"{phrases.rows(seen.held)} {'waits' if seen.held == 1 else 'wait'} in state"
    if not seen.windows_wait:
        return f"{waits}; {mark}."
    whose = "its window" if seen.held == 1 else "the first of their windows"
    return f"{waits}; {whose} ends at {say(seen.first_end)}, and {mark}."


def standings(seen: Observation) -> tuple[str, ...]:
    """A line for each watermark: its newest event, its delay, and the resulting time."""
    say = teller(seen)
    lines = []
    for stream in seen.streams:
        delay = phrases.length(stream.delay)
        lines.append(
            f"  {stream.name}: no event in this run (delay {delay})"
            if stream.newest is None
            else f"  {stream.name}: newest event {say(stream.newest)}, less the delay of {delay}: "
            f"{say(stream.watermark)}"
        )
    return (*lines, *dates(seen))


def needed_events(seen: Observation) -> str:
    """The event that would close the first window, stream by stream: its end and the delay."""
    asked = [
        stream
        for stream in seen.streams
        # after a restart, a query no longer knows how far each stream was
        if not seen.active or seen.policy == "max" or _is_behind(stream, seen)
    ]
    again = "" if seen.active else f", and {phrases.start_again(seen)}"
    if not seen.windows_wait or not asked:
        return f"Send later events{again}."
    say = teller(seen)
    events = [
        f"an event of {say(shifted(seen.first_end, stream.delay))} or later to {stream.name}"
        for stream in asked
    ]
    joined = (" or " if seen.policy == "max" else " and ").join(events)
    together = " in one run" if len(events) > 1 and seen.policy == "min" and again else ""
    return f"Send {joined}{together}{again}. That is the end of the window and the delay."


def _is_behind(stream: TimedStream, seen: Observation) -> bool:
    if stream.watermark is None or not seen.window_ends:
        return True
    return moment(stream.watermark) < moment(seen.first_end)


def what_moves_it(seen: Observation) -> str:
    known = [stream for stream in seen.streams if stream.watermark is not None]
    slowest = min(known, key=lambda stream: moment(stream.watermark or ""), default=None)
    if len(seen.streams) > 1 and seen.policy == "max":
        return "Of several watermarks the largest counts (policy `max`)."
    if len(seen.streams) > 1 and slowest is not None:
        return f"Of several watermarks the smallest counts (policy `min`), here that of {slowest.name}."
    return "It moves with events, not with the clock: when they stop, time stops."
