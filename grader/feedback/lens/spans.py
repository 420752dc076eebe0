"""Spans of event time that a run has held and emitted."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from grader.feedback.lens.event_marks import axis_micros
from grader.feedback.lens.known_fates import Known
from grader.feedback.lens.operator_table import is_chain, is_join, is_session
from grader.feedback.lens.row_intervals import Stretch, span_of, times_of, window_of
from grader.feedback.lens.state_rows import is_whole, state_after
from grader.feedback.verdict_text import goes_over_days
from grader.judging.instants import is_time, is_window
from grader.judging.play import rows_of
from grader.judging.rows import Row, compare
from grader.judging.wording.value_text import row_text, value_text
from grader.scenario import Exercise, Scenario
from grader.scenario.recording import Recording

_Emitted = tuple[int, int, frozenset[str]]  # an event's step, time and strings


@dataclass
class Span:
    """A stretch of event time that rows are about.

    State is held for it after the steps from `opened` to `held`. If `held` is below `opened`, as it
    always is with times, state is held after no step.

    - `kind`: window, session, times (of a joined row), or what a learner's own function keeps (own, fading)
    - `closed`: the steps in which its rows are emitted
    - `key`: whose session it is
    - `verdict`: right, missing or unexpected if the run was compared
    - `level`: the place of its length among those of a chain
    - `lane`: the group whose state it shows
    - `marks`: the times of its timers
    """

    start: float
    end: float
    opened: int
    held: int
    key: tuple[str, ...] = ()
    closed: list[int] = field(default_factory=list)
    rows: list[str] = field(default_factory=list)
    verdict: str = "right"
    kind: str = "window"
    level: int = 0
    lane: tuple[str, ...] = ()
    marks: tuple[float, ...] = ()

    @property
    def last(self) -> int:
        """The last step in which it is seen."""
        return max([self.held, *self.closed])

    @property
    def group(self) -> tuple[object, ...]:
        """What belongs into one lane: a key's sessions, a window with any verdict."""
        if self.lane:
            return self.lane
        session = (self.verdict, *self.key)
        return session if self.kind == "session" else (self.start, self.end)


def spans_of(
    exercise: Exercise,
    scenario: Scenario,
    recording: Recording,
    expected: Recording | None,
    known: Known | None = None,
) -> list[Span]:
    """All spans, by time.

    If the state store was read, it shows what is held. Otherwise a span is held from the step of the first
    event in a stretch to the one in which its row was emitted. With `known`, the first event is the first
    one that a state kept.
    """
    looked = windows_seen(recording)
    days = goes_over_days(recording, scenario)
    spans = _in_state(recording) if looked else []
    emitted = [
        (event.step, time, frozenset(_key(event.value)))
        for place, event in enumerate(scenario.events)
        if (time := axis_micros(event, exercise, scenario)) is not None
        and (known is None or known.kept(place))
    ]
    for step, row, verdict in _rows_out(recording, expected):
        stretch = (_joined(row) if is_join(recording) else None) or span_of(row)
        if stretch is None:
            continue
        seen = looked or window_of(row) is None
        key = _key(row) if is_session(recording) else ()
        span = _found(spans, stretch, key, verdict)
        if span is None:
            opened = step if seen else _opened(stretch, key, emitted, step)
            kind = _kind(recording) if window_of(row) is not None else "times"
            span = Span(*stretch, opened, opened - 1, key, verdict=verdict, kind=kind)
            spans.append(span)
        if not seen:
            span.held = max(span.held, step - 1)
        span.closed += [step] if step not in span.closed else []
        span.rows.append(row_text(row, days=days))
    spans.sort(key=lambda span: (span.start, span.end, span.verdict))
    if looked and is_chain(recording) and not is_session(recording):
        _set_levels(spans)
    return spans


def windows_seen(recording: Recording) -> bool:
    """Whether the state store was read and shows which windows were held when."""
    return is_whole(recording) and any(
        window_of(row) for batch in recording.batches for row in batch.state
    )


def _rows_out(recording: Recording, expected: Recording | None) -> Iterator[tuple[int, Row, str]]:
    """Each row out with its step and verdict; with `expected`, the missing ones, too."""
    for number in range(1, recording.steps + 1):
        if expected is None:
            for batch in recording.of_step(number):
                yield from ((number, row, "right") for row in batch.rows)
            continue
        wanted, got = rows_of(expected, expected, number), rows_of(recording, expected, number)
        difference = compare(wanted, got)
        odd = [*difference.unexpected, *[given for _, given in difference.wrong]]
        for row in got:
            yield number, row, "unexpected" if row in odd else "right"
            if row in odd:  # a right one may come twice
                odd.remove(row)
        for row in [*difference.missing, *[given for given, _ in difference.wrong]]:
            yield number, row, "missing"


def _in_state(recording: Recording) -> list[Span]:
    found: dict[tuple[Stretch, tuple[str, ...]], Span] = {}
    kind = _kind(recording)
    for step in range(1, recording.steps + 1):
        for row in state_after(recording, step):
            stretch = window_of(row)
            if stretch is None:
                continue
            key = _key(row) if is_session(recording) else ()
            span = found.setdefault((stretch, key), Span(*stretch, step, step, key, kind=kind))
            span.held = step
    return list(found.values())


def _found(spans: list[Span], stretch: Stretch, key: tuple[str, ...], verdict: str) -> Span | None:
    """The span of a row; a row may say more than the key of its session."""
    return next(
        (
            span
            for span in spans
            if (span.start, span.end, span.verdict) == (*stretch, verdict)
            and set(span.key) <= set(key)
        ),
        None,
    )


def _kind(recording: Recording) -> str:
    return "session" if is_session(recording) else "window"


def _key(row: Row) -> tuple[str, ...]:
    """The strings in a row: whose session it is."""
    return tuple(
        value_text(value)
        for value in row.values()
        if isinstance(value, str) and not is_time(value) and not is_window(value)
    )


def _joined(row: Row) -> Stretch | None:
    """The times of a joined row without a window; an outer row has but one."""
    times = times_of(row)
    return (times[0], times[-1]) if times and window_of(row) is None else None


def _opened(stretch: Stretch, key: tuple[str, ...], emitted: list[_Emitted], step: int) -> int:
    """The step of a key's first event inside the stretch, at the latest the one that emitted it."""
    start, end = stretch
    inside = [
        at
        for at, time, texts in emitted
        if at <= step and (start <= time < end or time == start) and texts.issuperset(key)
    ]
    return min(inside, default=step)


def _set_levels(spans: list[Span]) -> None:
    """The windows of a chain's operators differ in length, and grow from one to the next."""
    lengths = sorted({span.end - span.start for span in spans})
    for span in spans:
        span.level = lengths.index(span.end - span.start)
