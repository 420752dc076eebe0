"""What became of each event in a run, told apart from what the run does not show."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from grader.feedback.lens.operators import first_dropped, is_session, only_deduplicates
from grader.feedback.lens.state import held_until
from grader.feedback.lens.stretches import Grid, grid_of, starts_session, time_text
from grader.judging.rows import Row, clock, is_time, micros, row_text, rows_text, same, value_text
from grader.replay.recording import Recording
from grader.scenario import Event, Exercise, Scenario

LABEL = 14  # letters


@dataclass(frozen=True)
class Mark:
    """One event: when it is of, in which step it came, and what became of it.

    `fate`: counted, silent (no row out came of it), open (behind the watermark, but a window of it
    was still open), behind (the watermark, and whether it was dropped the run does not show) or
    dropped. `label` tells it from its neighbours. `kept` is the last step after which the state
    store held the event itself (None: it was not seen there).
    """

    step: int
    time: float
    input: str
    fate: str
    told: str
    label: str = ""
    kept: int | None = None


def marks_of(exercise: Exercise, scenario: Scenario, recording: Recording) -> list[Mark]:
    """A mark for each event that has a time, in the scenario's order."""
    timed = [(e, t) for e in scenario.events if (t := event_micros(e, exercise)) is not None]
    grid = grid_of(recording)
    label = _labels([event for event, _ in timed])
    fates = _fates(timed, recording, grid)
    silent = _silent(scenario, recording)
    kept = held_until(scenario, recording)
    marks = []
    for (event, time), fate in zip(timed, fates, strict=True):
        if fate == "counted" and id(event) in silent:
            fate = "silent"
        told = _told(event, time, recording, fate, grid)
        last = kept.get(id(event))
        told += f", in the state store until after step {last}" if last is not None else ""
        marks.append(Mark(event.step, time, event.input, fate, told, label(event), last))
    return marks


def event_micros(event: Event, exercise: Exercise) -> float | None:
    """An event's own time in microseconds since 1970; None where it has none that can be read."""
    column = exercise.inputs[event.input].event_time
    value = event.value.get(column) if column and isinstance(event.value, dict) else None
    if isinstance(value, str):
        try:
            return float(micros(value))
        except ValueError:
            return None
    return None


def _labels(events: list[Event]) -> Callable[[Event], str]:
    """What tells the events of an input apart in few letters: a text field with several short values,
    else a number."""
    fields: dict[str, str | None] = {}
    for name in {event.input for event in events}:
        rows = [e.value for e in events if e.input == name and isinstance(e.value, dict)]
        fields[name] = _telling(rows, str) or _telling(rows, int | float)

    def label(event: Event) -> str:
        field = fields[event.input]
        if field is None or not isinstance(event.value, dict) or field not in event.value:
            return ""
        return value_text(event.value[field]).strip("'")

    return label


def _telling(rows: list[Row], kind: type | object) -> str | None:
    found: dict[str, list[object]] = {}
    for row in rows:
        for name, value in row.items():
            found.setdefault(name, []).append(value)
    for name, values in found.items():
        fit = [isinstance(v, kind) and not is_time(v) and not isinstance(v, bool) for v in values]  # type: ignore[arg-type]
        if any(fit) and all(f or v is None for f, v in zip(fit, values, strict=True)):
            texts = {value_text(value) for value in values}
            if len(texts) >= min(2, len(rows)) and max(map(len, texts)) <= LABEL:
                return name
    return None


def _fates(timed: list[tuple[Event, float]], recording: Recording, grid: Grid | None) -> list[str]:
    """Each event's fate, silence aside.

    Spark drops a row when its *window* has ended. Which rows it dropped it does not tell, only
    how many: where no window shows it, an event is dropped for sure if all that were behind are.
    """
    if not any(batch.operators for batch in recording.batches):
        return ["counted"] * len(timed)
    fates = [_fate(event, time, recording, grid) for event, time in timed]
    for step in {event.step for event, _ in timed}:
        of_step = [n for n, (e, _) in enumerate(timed) if e.step == step and fates[n] == "behind"]
        if grid is None and len(of_step) <= first_dropped(recording, step):
            for number in of_step:
                fates[number] = "dropped"
    return fates


def _fate(event: Event, time: float, recording: Recording, grid: Grid | None) -> str:
    watermark = recording.watermark_after(event.step - 1)
    if watermark is None or time >= micros(watermark):
        return "counted"
    if grid is not None and grid.last_end(time) > micros(watermark):
        return "open"
    if grid is None and is_session(recording) and starts_session(event, time, recording):
        return "open"
    if grid is not None and first_dropped(recording, event.step):
        return "dropped"
    return "behind"


def _silent(scenario: Scenario, recording: Recording) -> set[int]:
    """Events (by identity) of which no row out came, where rows are events: filters, duplicates.

    Empty where a row cannot be traced to an event: then the run does not show it.
    """
    if not only_deduplicates(recording):
        return set()
    found: set[int] = set()
    for step in range(1, recording.steps + 1):
        rows = [_flat(row) for batch in recording.of_step(step) for row in batch.rows]
        traced = _traced(scenario.of_step(step), rows)
        if traced is None:
            return set()
        found |= traced
    return found if len(found) < len(scenario.events) else set()


def _flat(row: Row) -> Row:
    value = row.get("value")
    return {**row, **value} if isinstance(value, dict) else row


def _traced(events: list[Event], rows: list[Row]) -> set[int] | None:
    """The events that no row is left for; None if a row is of none, or of one of several that differ."""
    left = list(rows)
    silent: list[Event] = []
    told: list[Event] = []
    for event in events:
        value = event.value if isinstance(event.value, dict) else {}
        row = next((row for row in left if _of(row, value)), None)
        if row is None:
            silent.append(event)
        else:
            left.remove(row)
            told.append(event)
    if left:
        return None
    for event in silent:
        value = event.value if isinstance(event.value, dict) else {}
        if any(_of(row, value) for row in rows) and all(other.value != value for other in told):
            return None
    return {id(event) for event in silent}


def _of(row: Row, value: Row) -> bool:
    """Whether a row agrees with an event in all columns that both have."""
    shared = row.keys() & value.keys()
    return bool(shared) and all(_equal(row[name], value[name]) for name in shared)


def _equal(a: object, b: object) -> bool:
    if isinstance(a, str) and isinstance(b, str) and is_time(a) and is_time(b):
        return micros(a) == micros(b)
    return same(a, b)


def _told(event: Event, time: float, recording: Recording, fate: str, grid: Grid | None) -> str:
    value = event.value
    what = row_text(value) if isinstance(value, dict) else str(value)
    batches = [batch.id for batch in recording.of_step(event.step) if batch.rows_in]
    watermark = recording.watermark_after(event.step - 1)
    told = f"{event.input}: {what} — arrived in step {event.step}"
    told += f", batch {batches[0]}" if batches else ""
    told += f", watermark {clock(watermark)}" if watermark else ", no watermark yet"
    if grid is not None and grid.tumbling:
        end = grid.last_end(time)
        told += f", window {time_text(end - grid.length)}–{time_text(end)}"
    dropped = recording.dropped_in(event.step)
    unsure = f", {rows_text(dropped)} of the step dropped as late" if dropped else ", not dropped"
    still = "a window of it" if grid is not None and not grid.tumbling else "its window"
    return (
        told
        + {
            "counted": "",
            "silent": ": no row out",
            "open": f": behind the watermark, but counted, as {still} was still open",
            "behind": ": behind the watermark" + unsure,
            "dropped": ": dropped, as the watermark had passed",
        }[fate]
    )
