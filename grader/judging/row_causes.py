"""The event behind a wrong row, and where the watermark of the learner's own run stood when it came."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from grader.judging.event_time import event_micros, follows_time_of
from grader.judging.play import Play
from grader.judging.rows import Row, clock, is_time, is_window, micros, same, value_text
from grader.scenario import Event, Exercise
from grader.scenario.recording import Recording

_BY_WINDOW = ("stateStoreSave", "sessionWindow")  # as Spark calls operators that aggregate


@dataclass(frozen=True)
class Change:
    """A row that differs: the right one, the one that came in its place (or None), and its step.

    `due` is the step of the right one, where one came in its place.
    """

    wanted: Row | None
    got: Row | None
    step: int
    due: int | None = None

    @property
    def row(self) -> Row:
        found = self.wanted or self.got
        assert found is not None
        return found

    @property
    def kind(self) -> str:
        """`missing`, `unexpected` or `wrong value`."""
        if self.got is None:
            return "missing"
        return "unexpected" if self.wanted is None else "wrong value"

    @property
    def wrong(self) -> list[str]:
        """The columns whose values differ, where a wrong row stands beside the right one."""
        if self.wanted is None or self.got is None:
            return []
        return [name for name in self.wanted if not same(self.wanted[name], self.got.get(name))]


def cause_of(change: Change, exercise: Exercise, play: Play) -> str:
    """One sentence on the event that made a row differ; empty where no single one is to blame."""
    assert play.actual is not None
    if play.actual.plan.output_mode not in ("", play.expected.plan.output_mode):
        return ""  # rows come at other times, whatever the event
    related = [
        event
        for event in play.variant.scenario.events
        if event.step <= change.step and _belongs(event, change, exercise)
    ]
    late = _late_by_mistake(related, change, exercise, play)
    giver = None if late else _giver(related, change)
    event = late or giver or _last_of(related, change, play)
    if event is None:
        return ""
    look = f"{value_text(_brought(event, change))} came with" if giver else "Look at"
    said = f"{look} the event {_shown(event)}"
    if not play.regrouped:
        said += f" of step {event.step}"
        if event.note and notes_hold(event.step, play.expected, play.actual):
            said += f" ({event.note})"
    return said + ("." if giver else f"{_watermark(event, change, exercise, play)}.")


def notes_hold(step: int, expected: Recording, actual: Recording) -> bool:
    """Whether the author's notes on a step's events are true of a run, too.

    They say what became of an event in the solution's run: the watermark when it came and what was
    dropped must be the same.
    """
    if not any(batch.watermark for batch in expected.batches):
        return True
    stood = expected.watermark_after(step - 1) == actual.watermark_after(step - 1)
    return stood and expected.dropped_in(step) == actual.dropped_in(step)


def _late_by_mistake(
    related: list[Event], change: Change, exercise: Exercise, play: Play
) -> Event | None:
    """The first that the run dropped and should not have, or the other way round."""
    for event in related:
        fates = [is_so(event, change, exercise, play) for is_so in (_dropped, _to_drop)]
        if None not in fates and fates[0] != fates[1]:
            return event
    return None


def _giver(related: list[Event], change: Change) -> Event | None:
    """The event that brought the wrong value, if it is the only one that did."""
    gave = [event for event in related if _brought(event, change) is not None]
    return gave[0] if len(gave) == 1 else None


def _last_of(related: list[Event], change: Change, play: Play) -> Event | None:
    """The last event that went into a row; None for a row of many that are not alike."""
    if play.expected.plan.output_mode == "update":  # a row is told again when an event changes it
        related = [event for event in related if event.step == change.step]
    elif any(batch.operators for batch in play.expected.batches):  # a row of many events
        return None
    alike = related and all(event.value == related[0].value for event in related)
    return related[-1] if alike else None


def _belongs(event: Event, change: Change, exercise: Exercise) -> bool:
    """Whether an event went into a row, as far as the row shows: same keys, same window."""
    row = change.row
    if set(row) == {"topic", "key", "value"}:  # a record that a writer sent
        value = row["value"]
        if value == event.value:
            return value is not None
        if not isinstance(value, dict):
            return False
        got = change.got["value"] if change.got is not None else None
        inner = Change(value, got if isinstance(got, dict) else None, change.step)
        return _belongs(event, inner, exercise)
    if not isinstance(event.value, dict):
        return False
    given = {name.lower(): inner for name, inner in event.value.items()}
    told = {n: v for n, v in row.items() if n not in change.wrong and isinstance(v, str | int)}
    keys = [name for name in told if name in given]
    if any(not _equal(told[name], given[name]) for name in keys):
        return False
    texts = [name for name, value in told.items() if isinstance(value, str) and not is_time(value)]
    if texts and not any(name in keys for name in texts):
        return False
    window = _window(row)
    if window is None:
        return bool(keys)
    time = event_micros(event, exercise)
    return time is not None and micros(window["start"]) <= time < micros(window["end"])


def _equal(told: Any, given: Any) -> bool:
    if is_time(told) and is_time(given):
        return micros(told) == micros(given)
    return same(told, given)


def _brought(event: Event, change: Change) -> str | None:
    """The first wrong value of the row that this event brought, too."""
    if change.got is None or not isinstance(event.value, dict):
        return None
    brought = [value for value in event.value.values() if isinstance(value, str)]
    wrong = [change.got.get(name) for name in change.wrong]
    same = (w for w in wrong if isinstance(w, str) and any(_equal(w, b) for b in brought))
    return next(same, None)


def _dropped(event: Event, change: Change, exercise: Exercise, play: Play) -> bool | None:
    """Whether the learner's run dropped an event as late; None where its recording does not show that."""
    assert play.actual is not None
    return _drops(play.actual, event, change, exercise, play)


def _to_drop(event: Event, change: Change, exercise: Exercise, play: Play) -> bool | None:
    """Whether the event should have been dropped; None where that is not known."""
    return _drops(play.expected, event, change, exercise, play)


def _drops(
    run: Recording, event: Event, change: Change, exercise: Exercise, play: Play
) -> bool | None:
    """Whether the watermark of `run` dropped an event; None where the run does not show it.

    Late is what the watermark of the batch before has passed: the end of the row's window, or the
    event's own time where no operator goes by windows. Spark tells how many rows it dropped and not
    which: without a window it is sure only where all that were behind are among them.
    """
    dropped = run.dropped_in(event.step)
    if not dropped:
        return False
    stood, time = _stood(event, exercise, run), event_micros(event, exercise)
    if stood is None or time is None:
        return None
    window = _window(change.row)
    if window is not None:
        return micros(window["end"]) <= micros(stood)
    if any(o.name.startswith(_BY_WINDOW) for batch in run.batches for o in batch.operators):
        return None  # by windows that the row does not show, of which an event may have several
    if time >= micros(stood):
        return False
    times = [event_micros(other, exercise) for other in play.variant.scenario.of_step(event.step)]
    behind = [other for other in times if other is not None and other < micros(stood)]
    return True if len(behind) <= dropped else None


def _stood(event: Event, exercise: Exercise, run: Recording) -> str | None:
    """The watermark that an event met; None where there was none, or the run does not show which.

    A step of several data batches has several.
    """
    if not follows_time_of(run.plan, event, exercise):
        return None
    data = [batch for batch in run.of_step(event.step) if batch.rows_in and not batch.rerun]
    return run.watermark_after(event.step - 1) if len(data) == 1 else None


def _watermark(event: Event, change: Change, exercise: Exercise, play: Play) -> str:
    """Where the learner's watermark stood when an event came, and what became of it."""
    assert play.actual is not None
    stood, time = _stood(event, exercise, play.actual), event_micros(event, exercise)
    if stood is None or time is None:
        return ""
    said = f"; when it came, the watermark of your query stood at {clock(stood)}"
    right = _stood(event, exercise, play.expected)
    if right is not None and right != stood:
        said += f" (it should have stood at {clock(right)})"
    fate = _dropped(event, change, exercise, play)
    if fate:
        return f"{said}, {_seconds(micros(stood) - time)} past it, and it was dropped as late"
    if fate is False and _to_drop(event, change, exercise, play):
        return f"{said}, and it was not dropped"
    return said


def _window(row: Row) -> Row | None:
    return next((value for value in row.values() if is_window(value)), None)


def _seconds(microseconds: int) -> str:
    return f"{microseconds / 1_000_000:g} s"


def _shown(event: Event) -> str:
    if not isinstance(event.value, dict):
        return value_text(event.value)
    inner = ", ".join(f"{name}={value_text(value)}" for name, value in event.value.items())
    return "{" + (inner if len(inner) <= 160 else inner[:157] + "…") + "}"
