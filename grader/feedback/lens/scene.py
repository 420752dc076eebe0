"""What the lens shows of a run, as data: events, watermark, spans of state, output rows."""

from __future__ import annotations

from dataclasses import dataclass, replace

from grader.feedback.lens.axis import Axis, make_axis
from grader.feedback.lens.event_marks import Mark, marks_of
from grader.feedback.lens.known_fates import Known
from grader.feedback.lens.operator_table import is_chain, is_session, states_text
from grader.feedback.lens.operator_watermarks import Line, lines_of, watermarks_text
from grader.feedback.lens.page_geometry import FILE, Page
from grader.feedback.lens.python_state import own_spans
from grader.feedback.lens.spans import Span, spans_of, windows_seen
from grader.feedback.lens.state_rows import grouped, state_after, waiting_text
from grader.feedback.lens.table_versions import versions_text
from grader.feedback.verdict_text import as_far_as_it_ran, event_text, goes_over_days
from grader.judging.instants import micros
from grader.judging.play import rows_of
from grader.judging.rows import Row, compare
from grader.judging.wording.failure_text import ended_early_text
from grader.judging.wording.value_text import row_text
from grader.scenario import Exercise, Scenario
from grader.scenario.recording import Recording

MARKS = 400  # more events than these are thinned out


@dataclass(frozen=True)
class Out:
    """One output row of a step, and how it compares."""

    text: str
    verdict: str = "right"


@dataclass(frozen=True)
class Step:
    """One step: the watermark that it began and ended with, what it kept, dropped and emitted.

    `states` has a line for each operator, `versions` for each new version of a table, `stored` the rows of
    the state store under headings.
    """

    number: int
    before: float | None
    after: float | None
    batches: list[int]
    state: int
    out: list[Out]
    states: list[str]
    versions: list[str]
    stored: list[tuple[str, list[str]]]
    rows_in: int
    arrivals: list[str]
    asked: bool = False  # what it did is the question: the picture does not show it
    dropped: int = 0  # rows that Spark counted as dropped


@dataclass(frozen=True)
class Scene:
    """All that is drawn.

    - `looked`: the state store shows that a span is held; otherwise its later row shows it
    - `clocked`: the axis is processing time, and the line is the clock that Spark reads
    - `lines`: the watermarks of the operators, if they are known
    - `rows_are`: what a step's rows are: emitted, or all that a table then has
    - `page`: what it is drawn on
    """

    axis: Axis
    inputs: list[str]
    marks: list[Mark]
    spans: list[Span]
    steps: list[Step]
    stateful: bool
    looked: bool = False
    timed: bool = True
    clocked: bool = False
    notes: tuple[str, ...] = ()
    parts_at: int | None = None
    lines: tuple[Line, ...] = ()
    rows_are: str = "rows out"
    page: Page = FILE

    def x(self, time: float) -> float:
        """Where a time is on the page."""
        return self.page.x(self.axis.place(time))


def make_scene(
    exercise: Exercise,
    scenario: Scenario,
    recording: Recording,
    expected: Recording | None = None,
    *,
    known: Known | None = None,
) -> Scene:
    """Lay out a run; `expected` adds which rows are missing or unexpected.

    With `known`, the picture also shows what the model knows about the run beyond its recording.
    """
    recording, scenario = as_far_as_it_ran(recording, scenario)
    if scenario.clocks:
        recording = _by_clock(recording, scenario)
    marks, thinned = _thin(marks_of(exercise, scenario, recording, known))
    days = goes_over_days(recording, scenario)
    steps = [
        _step(number, exercise, scenario, recording, expected, days=days)
        for number in range(1, recording.steps + 1)
    ]
    spans = spans_of(exercise, scenario, recording, expected, known)
    spans += own_spans(exercise, scenario, recording)
    lines = lines_of(recording, known)
    times = [mark.time for mark in marks]
    times += [t for line in lines for watermarks in line.steps for t in watermarks if t is not None]
    times += [t for span in spans for t in (span.start, span.end)]
    times += [t for step in steps for t in (step.before, step.after) if t is not None]
    failure = recording.failure
    failed = ended_early_text(failure) if failure else ""
    return Scene(
        axis=make_axis(times),
        inputs=exercise.fed,
        marks=marks,
        spans=spans,
        steps=steps,
        stateful=any(batch.operators for batch in recording.batches),
        looked=_looked(recording),
        timed=bool(times),
        clocked=bool(scenario.clocks),
        notes=tuple(note for note in (thinned, failed, watermarks_text(recording, lines)) if note),
        parts_at=_parts_at(steps) if expected is not None else None,
        lines=lines,
        rows_are="rows of the table" if exercise.writes_to else "rows out",
    )


def _by_clock(recording: Recording, scenario: Scenario) -> Recording:
    """The run with the clock in the watermark's place."""
    batches = [replace(b, watermark=scenario.clocks[b.step]) for b in recording.batches]
    return replace(recording, batches=batches)


def _looked(recording: Recording) -> bool:
    return windows_seen(recording) or not (is_chain(recording) or is_session(recording))


def _thin(marks: list[Mark]) -> tuple[list[Mark], str]:
    """At most about MARKS of the marks, and what was left out in words."""
    if len(marks) <= MARKS:
        return marks, ""
    late = sum(mark.fate == "dropped" for mark in marks)
    late_marks = [mark for mark in marks if mark.fate == "dropped"][: MARKS // 2]
    others = [mark for mark in marks if mark.fate != "dropped"]
    every = -(-len(others) // (MARKS - len(late_marks)))
    kept = late_marks + others[::every]
    return kept, (
        f"{len(kept)} of {len(marks)} events are drawn: every {every}th, and of the dropped ones "
        f"{len(late_marks)} of {late}."
    )


def _step(
    number: int,
    exercise: Exercise,
    scenario: Scenario,
    recording: Recording,
    expected: Recording | None,
    *,
    days: bool,
) -> Step:
    before, after = recording.watermark_after(number - 1), recording.watermark_after(number)
    before = after if scenario.clocks else before  # the clock is set before a step begins
    of_step = scenario.of_step(number)
    stored = grouped(state_after(recording, number), exercise, recording, days=days)
    return Step(
        number=number,
        before=float(micros(before)) if before else None,
        after=float(micros(after)) if after else None,
        batches=[batch.id for batch in recording.of_step(number)],
        state=recording.state_after(number),
        out=_out(number, recording, expected, days=days),
        states=states_text(recording, number) + waiting_text(stored),
        versions=versions_text(recording, number),
        stored=stored,
        rows_in=len(of_step),
        arrivals=[event_text(event, days=days) for event in of_step],
        dropped=recording.dropped_in(number),
    )


def _out(number: int, recording: Recording, expected: Recording | None, *, days: bool) -> list[Out]:
    def outs(rows: list[Row], verdict: str = "right") -> list[Out]:
        return [Out(row_text(row, days=days), verdict) for row in rows]

    if expected is None:
        return outs([row for batch in recording.of_step(number) for row in batch.rows])
    difference = compare(rows_of(expected, expected, number), rows_of(recording, expected, number))
    wrong_in = [*difference.unexpected, *[got for _, got in difference.wrong]]
    missing = [*difference.missing, *[wanted for wanted, _ in difference.wrong]]
    right = rows_of(recording, expected, number)
    for row in wrong_in:
        right.remove(row)
    return [*outs(right), *outs(wrong_in, "unexpected"), *outs(missing, "missing")]


def _parts_at(steps: list[Step]) -> int | None:
    """The first step in which the emitted and the expected rows differ."""
    return next((s.number for s in steps if any(out.verdict != "right" for out in s.out)), None)
