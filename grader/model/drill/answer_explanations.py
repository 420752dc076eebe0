"""How the right answer comes about, calculated from the run itself."""

from __future__ import annotations

from datetime import datetime, timedelta

from grader.judging.instants import clock
from grader.model import Played
from grader.model.drill.amounts import minutes
from grader.model.drill.situation import Situation, delay_of, watermark_before
from grader.model.query import Aggregate, SessionWindow
from grader.model.timestamps import EPOCH, Window
from grader.model.watermark_policy import POLICIES

MINUTE = timedelta(minutes=1)


def time_text(time: datetime) -> str:
    return "1970" if time == EPOCH else clock(time.isoformat())


def watermark(situation: Situation, played: Played, step: int) -> str:
    if len(situation.sources) > 1:
        return _of_two(situation, played, step)
    events = situation.scenario.events
    until = [n for n, event in enumerate(events) if event.step <= step]
    newest = max(until, key=lambda n: situation.time(events[n]))
    delay = situation.delay(events[newest].input)
    return (
        f"The newest event so far is {situation.name(newest)}. Less the delay of {delay} that is "
        f"{time_text(delay_of(situation, events[newest]))}."
    )


def _of_two(situation: Situation, played: Played, step: int) -> str:
    """A run knows what came in each stream during the run, and the watermark of the run before."""
    events = situation.scenario.events
    by_stream = {
        name: max(
            (
                delay_of(situation, events[n])
                for n in situation.numbers(step)
                if events[n].input == name
            ),
            default=EPOCH,
        )
        for name in situation.sources
    }
    policy = situation.query.policy
    chosen = POLICIES[policy](by_stream.values())
    before = watermark_before(played, step)
    parts = ", ".join(f"{name} at {time_text(time)}" for name, time in by_stream.items())
    moved = (
        f"so the watermark moves to {time_text(chosen)}"
        if chosen > before
        else f"and the watermark does not go back: it stays at {time_text(before)}"
    )
    which = "lower" if policy == "min" else "higher"
    silent = " (a stream without events in a run counts as standing at 1970)" * (
        EPOCH in by_stream.values()
    )
    return (
        f"In step {step} the newest event of each stream less its delay puts {parts}{silent}. "
        f"The policy {policy} takes the {which} one, {time_text(chosen)}, {moved}."
    )


def dropped(situation: Situation, played: Played, until: int | None = None) -> str:
    """A sentence on each event, up to a step, that is not after the watermark that its step began with."""
    parts = [
        _fate(situation, played, n)
        for n, event in enumerate(situation.scenario.events)
        if (until is None or event.step <= until)
        and situation.time(event) <= watermark_before(played, event.step)
    ]
    return " ".join(parts) or "Every event is after the watermark that its step began with."


def _fate(situation: Situation, played: Played, number: int) -> str:
    event = situation.scenario.events[number]
    met = f"{situation.name(number)} met the watermark {time_text(watermark_before(played, event.step))}"
    fates = [fate for fate in played.fates if fate.event == number]
    kept = [fate for fate in fates if fate.what == "kept"]
    late = [fate for fate in fates if fate.what == "late"]
    ends = [end for fate in kept or late for end in _ends(fate.key)]
    if kept:
        return f"{met}, and what it belongs to ends only at {time_text(max(ends))}: it is counted."
    if late and ends:
        claimed = "the time that it claims" if _by_own_claim(situation) else "what it belongs to"
        return f"{met}, and {claimed} had ended at {time_text(max(ends))}: it is dropped."
    return f"{met} and is not after it: it is dropped." if late else f"{met}."


def _by_own_claim(situation: Situation) -> bool:
    """Whether events are late by their own claim, as those of sessions are, and not by what they would join."""
    plan = situation.query.plan
    keys = plan.keys.values() if isinstance(plan, Aggregate) else ()
    return any(isinstance(key, SessionWindow) for key in keys)


def _ends(key: dict[str, object]) -> list[datetime]:
    return [value.end for value in key.values() if isinstance(value, Window)]


def smallest_delay(situation: Situation, played: Played, number: int) -> str:
    events = situation.scenario.events
    event = events[number]
    before = [other for other in events if other.step < event.step]
    newest = max(situation.time(other) for other in before)
    ends = [e for f in played.fates if f.event == number for e in _ends(f.key)]
    end = max(ends)
    return (
        f"When step {event.step} begins, the newest event so far is of {time_text(newest)}, and the window "
        f"of {situation.name(number)} ends at {time_text(end)}. The watermark must still be before that "
        f"end: the delay must be longer than {minutes((newest - end) // MINUTE)}."
    )


def moved(played: Played, step: int) -> str:
    """How the watermark moved in a step."""
    before, after = watermark_before(played, step), watermark_before(played, step + 1)
    if after == before:
        return f"In step {step} the watermark stays at {time_text(before)}."
    if before == EPOCH:
        return f"In step {step} the watermark comes to {time_text(after)}."
    return f"In step {step} the watermark goes from {time_text(before)} to {time_text(after)}."


def begins(played: Played, step: int) -> str:
    """The watermark that a step's events meet."""
    return f"Step {step} begins with the watermark at {time_text(watermark_before(played, step))}."


def watermark_position(played: Played, step: int) -> str:
    return f"After step {step} the watermark is {time_text(watermark_before(played, step + 1))}."


def windows_kept(situation: Situation, played: Played, step: int) -> str:
    """The windows with events that are in state after a step; complete mode evicts none."""
    events, forgets = situation.scenario.events, situation.query.mode != "complete"
    windows = {
        window
        for fate in played.fates
        if fate.what == "kept" and events[fate.event].step <= step
        for window in [fate.key["window"]]
        if not forgets or window.end > watermark_before(played, step + 1)
    }
    parts = [f"{time_text(w.start)}–{time_text(w.end)}" for w in sorted(windows)]
    return f"Kept: {', '.join(parts) or 'none'}."


def closing(situation: Situation, played: Played) -> str:
    """How the watermark moved in every step."""
    del situation
    return " ".join(moved(played, step) for step in range(1, played.recording.steps + 1))
