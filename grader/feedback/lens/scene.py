"""What the lens shows of a run, as data: events, watermark, spans of state, rows out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from grader.feedback.lens.axis import Axis, make_axis, moment_at
from grader.feedback.text import event_text
from grader.judging.play import rows_of
from grader.judging.rows import Row, clock, compare, is_time, is_window, micros, row_text, rows_text
from grader.replay.recording import Recording
from grader.scenario import Event, Exercise, Scenario

LABEL = 12  # letters
MARKS = 400  # more events than these are thinned out


@dataclass(frozen=True)
class Mark:
    """One event: when it is of, in which step it came, and what became of it.

    `fate`: counted, open (behind the watermark, but its window was still open), behind (the watermark,
    and whether it was dropped the run does not show) or dropped. `label` tells it from its neighbours.
    """

    step: int
    time: float
    input: str
    fate: str
    told: str
    label: str = ""


@dataclass
class Span:
    """A stretch of event time that a row speaks of: a window, a session, a join's interval.

    State is held for it from step `opened` to step `closed`, the one that emitted it (None:
    never). `verdict` is right, missing or unexpected where a comparison was asked for.
    """

    start: float
    end: float
    opened: int
    closed: int | None
    rows: list[str] = field(default_factory=list)
    verdict: str = "right"


@dataclass(frozen=True)
class Out:
    """One row out at a step, and how it compares."""

    text: str
    verdict: str = "right"


@dataclass(frozen=True)
class Step:
    """One step: the watermark that it began and ended with, what it kept, dropped and emitted."""

    number: int
    before: float | None
    after: float | None
    batches: list[int]
    state: int
    dropped: int
    out: list[Out]
    stored: list[str]
    rows_in: int
    came: list[str]


@dataclass(frozen=True)
class Scene:
    """All that is drawn."""

    axis: Axis
    inputs: list[str]
    marks: list[Mark]
    spans: list[Span]
    steps: list[Step]
    stateful: bool
    timed: bool = True
    thinned: str = ""
    parts_at: int | None = None
    failure: str = ""


def make_scene(
    exercise: Exercise, scenario: Scenario, recording: Recording, expected: Recording | None = None
) -> Scene:
    """Lay out a run; with `expected`, rows that are missing or unexpected are told apart."""
    stateful = any(batch.operators for batch in recording.batches)
    marks, thinned = _marks(exercise, scenario, recording, stateful)
    steps = [
        _step(number, scenario, recording, expected) for number in range(1, recording.steps + 1)
    ]
    spans = _spans(exercise, scenario, recording, expected)
    times = [mark.time for mark in marks]
    times += [t for span in spans for t in (span.start, span.end)]
    times += [t for step in steps for t in (step.before, step.after) if t is not None]
    return Scene(
        axis=make_axis(times),
        inputs=list(exercise.inputs),
        marks=marks,
        spans=spans,
        steps=steps,
        stateful=stateful,
        timed=bool(times),
        thinned=thinned,
        parts_at=_parts_at(steps) if expected is not None else None,
        failure=recording.failure.message if recording.failure else "",
    )


def _marks(
    exercise: Exercise, scenario: Scenario, recording: Recording, stateful: bool
) -> tuple[list[Mark], str]:
    found = []
    timed = [(e, t) for e in scenario.events if (t := event_micros(e, exercise)) is not None]
    window = _window_length(recording)
    labels = _labels([event for event, _ in timed])
    fates = _fates(timed, recording, window) if stateful else ["counted"] * len(timed)
    for (event, time), fate in zip(timed, fates, strict=True):
        watermark = recording.watermark_after(event.step - 1)
        told = _event_told(event, time, recording, watermark, fate, window)
        found.append(Mark(event.step, time, event.input, fate, told, labels(event)))
    if len(found) <= MARKS:
        return found, ""
    late_marks = [mark for mark in found if mark.fate == "dropped"][: MARKS // 2]
    others = [mark for mark in found if mark.fate != "dropped"]
    every = -(-len(others) // (MARKS - len(late_marks)))
    kept = late_marks + others[::every]
    return kept, (
        f"{len(kept)} of {len(found)} events are drawn: every {every}th, and of the dropped ones "
        f"{len(late_marks)} of {sum(mark.fate == 'dropped' for mark in found)}."
    )


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


def _window_length(recording: Recording) -> tuple[float, float] | None:
    """Length and offset of the run's tumbling windows in microseconds; None if it has no such."""
    spans = {
        stretch
        for batch in recording.batches
        for row in batch.rows
        if any(is_window(v) for v in row.values()) and (stretch := span_of(row)) is not None
    }
    lengths = {end - start for start, end in spans}
    if len(lengths) != 1 or 0 in lengths:  # times beyond the calendar are all the same moment
        return None
    (length,) = lengths
    offsets = {start % length for start, _ in spans}
    return (length, offsets.pop()) if len(offsets) == 1 else None


def _window_end(time: float, window: tuple[float, float]) -> float:
    length, offset = window
    return (time - offset) // length * length + offset + length


def _labels(events: list[Event]) -> Callable[[Event], str]:
    """What tells the events apart in few letters: their first text field with several short values."""
    values: dict[str, set[str]] = {}
    for event in events:
        for name, value in event.value.items() if isinstance(event.value, dict) else ():
            if isinstance(value, str) and not is_time(value):
                values.setdefault(name, set()).add(value)
    telling = (n for n, v in values.items() if len(v) > 1 and max(map(len, v)) <= LABEL)
    name = next(telling, None)
    return lambda event: str(event.value.get(name) or "") if name else ""


def _fates(
    timed: list[tuple[Event, float]], recording: Recording, window: tuple[float, float] | None
) -> list[str]:
    """What became of each event in this run: counted, open, behind or dropped.

    Spark drops a row when its *window* has ended. Which rows it dropped it does not tell, only
    how many: where no window shows it, an event is dropped for sure if all that were behind are.
    """
    fates = []
    for event, time in timed:
        watermark = recording.watermark_after(event.step - 1)
        dropped = recording.dropped_in(event.step)
        if watermark is None or time >= micros(watermark):
            fates.append("counted")
        elif window is not None and _window_end(time, window) > micros(watermark):
            fates.append("open")
        elif not dropped:
            fates.append("behind")
        else:
            behind = [t for e, t in timed if e.step == event.step and t < micros(watermark)]
            fates.append("dropped" if window is not None or len(behind) <= dropped else "behind")
    return fates


def _event_told(
    event: Event,
    time: float,
    recording: Recording,
    watermark: str | None,
    fate: str,
    window: tuple[float, float] | None,
) -> str:
    value = event.value
    what = row_text(value) if isinstance(value, dict) else str(value)
    batches = [batch.id for batch in recording.of_step(event.step) if batch.rows_in]
    told = f"{event.input}: {what} — arrived in step {event.step}"
    told += f", batch {batches[0]}" if batches else ""
    told += f", watermark {clock(watermark)}" if watermark else ", no watermark yet"
    if window is not None:
        end = _window_end(time, window)
        told += f", window {time_text(end - window[0])}–{time_text(end)}"
    dropped = recording.dropped_in(event.step)
    unsure = f", {rows_text(dropped)} of the step dropped as late" if dropped else ", not dropped"
    return (
        told
        + {
            "counted": "",
            "open": ": behind the watermark, but counted, as its window was still open",
            "behind": ": behind the watermark" + unsure,
            "dropped": ": dropped, as the watermark had passed",
        }[fate]
    )


def time_text(time: float) -> str:
    """HH:MM:SS of microseconds since 1970."""
    return moment_at(time).strftime("%H:%M:%S")


def _step(
    number: int, scenario: Scenario, recording: Recording, expected: Recording | None
) -> Step:
    before, after = recording.watermark_after(number - 1), recording.watermark_after(number)
    batches = recording.of_step(number)
    return Step(
        number=number,
        before=float(micros(before)) if before else None,
        after=float(micros(after)) if after else None,
        batches=[batch.id for batch in batches],
        state=recording.state_after(number),
        dropped=recording.dropped_in(number),
        out=_out(number, recording, expected),
        stored=[row_text(row) for row in (batches[-1].state if batches else [])],
        rows_in=len(scenario.of_step(number)),
        came=[event_text(event) for event in scenario.of_step(number)],
    )


def _out(number: int, recording: Recording, expected: Recording | None) -> list[Out]:
    if expected is None:
        rows = [row for batch in recording.of_step(number) for row in batch.rows]
        return [Out(row_text(row)) for row in rows]
    difference = compare(rows_of(expected, expected, number), rows_of(recording, expected, number))
    wrong_in = [*difference.unexpected, *[got for _, got in difference.wrong]]
    missing = [*difference.missing, *[wanted for wanted, _ in difference.wrong]]
    right = rows_of(recording, expected, number)
    for row in wrong_in:
        right.remove(row)
    return [
        *[Out(row_text(row)) for row in right],
        *[Out(row_text(row), "unexpected") for row in wrong_in],
        *[Out(row_text(row), "missing") for row in missing],
    ]


def _parts_at(steps: list[Step]) -> int | None:
    """The first step in which what came out and what should have come out part."""
    return next((s.number for s in steps if any(out.verdict != "right" for out in s.out)), None)


def _spans(
    exercise: Exercise, scenario: Scenario, recording: Recording, expected: Recording | None
) -> list[Span]:
    found: dict[tuple[float, float, str], Span] = {}

    def add(row: Row, step: int, verdict: str) -> None:
        stretch = span_of(row)
        if stretch is None:
            return
        key = (*stretch, verdict)
        opened = _opened(stretch, exercise, scenario, step)
        span = found.setdefault(key, Span(*stretch, opened, step, verdict=verdict))
        span.opened = min(span.opened, opened)
        span.closed = max(span.closed or step, step)
        span.rows.append(row_text(row))

    for number in range(1, recording.steps + 1):
        if expected is None:
            for batch in recording.of_step(number):
                for row in batch.rows:
                    add(row, number, "right")
            continue
        wanted, got = rows_of(expected, expected, number), rows_of(recording, expected, number)
        difference = compare(wanted, got)
        odd = [*difference.unexpected, *[given for _, given in difference.wrong]]
        for row in got:
            add(row, number, "unexpected" if row in odd else "right")
        for row in [*difference.missing, *[given for given, _ in difference.wrong]]:
            add(row, number, "missing")
    return sorted(found.values(), key=lambda span: (span.start, span.end, span.verdict))


def span_of(row: Row) -> tuple[float, float] | None:
    """The stretch of time a row speaks of: its window, or the range of its timestamps."""
    for value in row.values():
        if is_window(value) and value["start"]:
            return float(micros(value["start"])), float(micros(value["end"]))
    times = sorted(float(micros(v)) for v in row.values() if is_time(v))
    return (times[0], times[-1]) if len(times) > 1 and times[0] < times[-1] else None


def _opened(stretch: tuple[float, float], exercise: Exercise, scenario: Scenario, step: int) -> int:
    """The step of the first event inside the stretch, at the latest the one that emitted it."""
    start, end = stretch
    inside = [
        event.step
        for event in scenario.events
        if event.step <= step
        and (time := event_micros(event, exercise)) is not None
        and (start <= time < end or time == start)
    ]
    return min(inside, default=step)
