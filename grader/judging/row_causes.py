"""The event that made a row wrong, and the watermark of the learner's own run that it met."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from grader.judging.event_time import event_micros, follows_time_of
from grader.judging.instants import is_time, is_window, micros
from grader.judging.play import Play
from grader.judging.rows import Row, same
from grader.scenario import Event, Exercise
from grader.scenario.recording import Recording

_BY_WINDOW = ("stateStoreSave", "sessionWindow")  # as Spark calls operators that aggregate


@dataclass(frozen=True)
class Change:
    """A row that differs: the right row, the row in its place (or None), and its step.

    The field `due` is the step of the right row, if there is a row in its place.
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
        """The columns whose values differ, if a wrong row is next to the right one."""
        if self.wanted is None or self.got is None:
            return []
        return [name for name in self.wanted if not same(self.wanted[name], self.got.get(name))]


@dataclass(frozen=True)
class MetWatermark:
    """The watermark of the learner's run that an event met, and what became of the event.

    - `expected`: the watermark that it should have met, if that is a different one
    - `fate`: dropped, kept (although it should have been dropped) or empty
    - `past`: how far the watermark had passed the event (microseconds)
    """

    at: str
    expected: str | None
    fate: str
    past: int


@dataclass(frozen=True)
class Cause:
    """The event that made a row differ; The `wrong_value` is what the event contributed, if it did.

    The `note` is the author's, if it is true for the learner's run.
    """

    event: Event
    wrong_value: str | None
    note: str
    met: MetWatermark | None


def cause_of(change: Change, exercise: Exercise, play: Play) -> Cause | None:
    """The event that made a row differ; None if no single one is to blame."""
    if play.run.plan.output_mode not in ("", play.expected.plan.output_mode):
        return None  # rows come at other times, whatever the event
    related = [
        event
        for event in play.variant.scenario.events
        if event.step <= change.step
        and not _replaces(event, exercise)
        and _belongs(event, change, exercise)
    ]
    late = _late_by_mistake(related, change, exercise, play)
    giver = None if late else _giver(related, change)
    event = late or giver or _last_of(related, change, play)
    if event is None:
        return None
    noted = not play.regrouped and notes_hold(event.step, play.expected, play.run)
    return Cause(
        event,
        _wrong_value(event, change) if giver else None,
        note=event.note if noted else "",
        met=None if giver else _met(event, change, exercise, play),
    )


def _replaces(event: Event, exercise: Exercise) -> bool:
    """Whether an event replaces a row of a table: it also takes a row away, which the event does not show."""
    fed = exercise.inputs.get(event.input)
    return fed is not None and fed.key is not None


def notes_hold(step: int, expected: Recording, actual: Recording) -> bool:
    """Whether the author's notes on a step's events are true for a run, too.

    They say what became of an event in the solution's run: the watermark when it came and what was
    dropped must be the same.
    """
    if not any(batch.watermark for batch in expected.batches):
        return True
    watermark_before = expected.watermark_after(step - 1) == actual.watermark_after(step - 1)
    return watermark_before and expected.dropped_in(step) == actual.dropped_in(step)


def _late_by_mistake(
    related: list[Event], change: Change, exercise: Exercise, play: Play
) -> Event | None:
    """The first that the run dropped and should not have, or the other way round."""
    for event in related:
        fates = [_drops(run, event, change, exercise, play) for run in (play.run, play.expected)]
        if None not in fates and fates[0] != fates[1]:
            return event
    return None


def _giver(related: list[Event], change: Change) -> Event | None:
    """The event that contributed the wrong value, if it is the only one that did."""
    gave = [event for event in related if _wrong_value(event, change) is not None]
    return gave[0] if len(gave) == 1 else None


def _last_of(related: list[Event], change: Change, play: Play) -> Event | None:
    """The last event that went into a row; None for a row of many different events."""
    if play.expected.plan.output_mode == "update":  # an event emits its row again
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
    right = {n: v for n, v in row.items() if n not in change.wrong and isinstance(v, str | int)}
    keys = [name for name in right if name in given]
    if any(not _equal(right[name], given[name]) for name in keys):
        return False
    strings = [n for n, value in right.items() if isinstance(value, str) and not is_time(value)]
    if strings and not any(name in keys for name in strings):
        return False
    window = _window(row)
    if window is None:
        return bool(keys)
    time = event_micros(event, exercise)
    return time is not None and micros(window["start"]) <= time < micros(window["end"])


def _equal(value: Any, given: Any) -> bool:
    if is_time(value) and is_time(given):
        return micros(value) == micros(given)
    return same(value, given)


def _wrong_value(event: Event, change: Change) -> str | None:
    """The first wrong value of the row that this event has, too."""
    if change.got is None or not isinstance(event.value, dict):
        return None
    given = [value for value in event.value.values() if isinstance(value, str)]
    wrong = [change.got.get(name) for name in change.wrong]
    same = (w for w in wrong if isinstance(w, str) and any(_equal(w, g) for g in given))
    return next(same, None)


def _drops(
    run: Recording, event: Event, change: Change, exercise: Exercise, play: Play
) -> bool | None:
    """Whether the watermark of `run` dropped an event; None if the run does not show it.

    A row is late if the watermark of the batch before has passed the end of its window. If no operator
    uses windows, the event's own time counts. Spark reports how many rows it dropped and not which:
    without a window it is sure only if all late rows are among them.
    """
    dropped = run.dropped_in(event.step)
    if not dropped:
        return False
    watermark_before, time = _watermark_met(event, exercise, run), event_micros(event, exercise)
    if watermark_before is None or time is None:
        return None
    window = _window(change.row)
    if window is not None:
        return micros(window["end"]) <= micros(watermark_before)
    if any(o.name.startswith(_BY_WINDOW) for batch in run.batches for o in batch.operators):
        return None  # by windows that the row does not show, of which an event may have several
    if time >= micros(watermark_before):
        return False
    times = [event_micros(other, exercise) for other in play.variant.scenario.of_step(event.step)]
    late = [other for other in times if other is not None and other < micros(watermark_before)]
    return True if len(late) <= dropped else None


def _watermark_met(event: Event, exercise: Exercise, run: Recording) -> str | None:
    """The watermark that an event met; None if there was none, or the run does not show which.

    A step with several data batches has several watermarks.
    """
    if not follows_time_of(run.plan, event, exercise):
        return None
    data = [batch for batch in run.of_step(event.step) if batch.rows_in and not batch.rerun]
    return run.watermark_after(event.step - 1) if len(data) == 1 else None


def _met(event: Event, change: Change, exercise: Exercise, play: Play) -> MetWatermark | None:
    """The watermark that an event met, if the learner's run shows it, and what became of the event."""
    at, time = _watermark_met(event, exercise, play.run), event_micros(event, exercise)
    if at is None or time is None:
        return None
    right = _watermark_met(event, exercise, play.expected)
    dropped, to_drop = (
        _drops(run, event, change, exercise, play) for run in (play.run, play.expected)
    )
    fate = "dropped" if dropped else "kept" if dropped is False and to_drop else ""
    return MetWatermark(at, None if right == at else right, fate, micros(at) - time)


def _window(row: Row) -> Row | None:
    return next((value for value in row.values() if is_window(value)), None)
