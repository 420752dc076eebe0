"""What the landing page shows: the clicks of 03.0 under every delay, as the model of Spark plays them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from itertools import pairwise
from pathlib import Path
from textwrap import dedent
from typing import Any

from grader.judging.check_pack import PackedExercise, find_exercise
from grader.judging.instants import moment
from grader.model import Played, play
from grader.model.agreement import behaviour
from grader.model.explorer.worked_example import example_of
from grader.model.fates import in_the_end
from grader.model.query import Query, Watermark, changed, watermarks
from grader.model.query_reader import query_of
from grader.model.timestamps import Window, length
from grader.scenario import Scenario

EXAMPLE = "03.0"
QUESTION = "12:04:50"
SLIDER = range(0, 361, 30)  # seconds
LONGEST = 7 * 24 * 3600  # seconds; a longer delay is not answered
_COLUMN = "event_time"
_MIDNIGHT = moment("2026-03-01T00:00:00Z")  # of the day of the clicks


class FirstMinuteError(ValueError):
    """The worked example no longer shows what the landing page says about it."""


@dataclass(frozen=True)
class Click:
    """A click: its event time in seconds after midnight, and the step in which it arrives (from 1)."""

    at: int
    step: int


@dataclass(frozen=True)
class Count:
    """One window's count: from `start` to `end` in seconds after midnight.

    It is in state from the step `opened` on. In the step `emitted` it leaves state; None if it never does.
    """

    start: int
    end: int
    opened: int
    emitted: int | None
    clicks: int


@dataclass(frozen=True)
class Outcome:
    """What the query does for all delays from `least` to `most`, in whole seconds.

    - `dropped`: the clicks that Spark drops, by their places
    - `first`: the step that emits the first count; None if no step does
    - `most_rows`: the most rows in state after any micro-batch
    """

    least: int
    most: int
    dropped: tuple[int, ...]
    counts: tuple[Count, ...]
    first: int | None
    most_rows: int


@dataclass(frozen=True)
class FirstMinute:
    """All that the page knows: it has no rule of Spark's in it but the definition of the watermark.

    - `newest`: the newest event time after each step, from which a delay is subtracted
    - `delay`: the delay of the worked example, in seconds
    - `window`: the length of its windows, in seconds
    - `question`: the place of the click that the page asks about
    - `code`: the query's code before and after the delay
    - `best`: the place of the outcome without a dropped click whose first count is emitted soonest
    """

    clicks: tuple[Click, ...]
    newest: tuple[int, ...]
    outcomes: tuple[Outcome, ...]
    delay: int
    window: int
    question: int
    code: tuple[str, str]
    best: int

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)

    def of_delay(self, seconds: int) -> Outcome:
        """The outcome of a delay; raises ValueError for a delay longer than LONGEST."""
        for outcome in self.outcomes:
            if outcome.least <= seconds <= outcome.most:
                return outcome
        raise ValueError(f"delays from 0 to {LONGEST} seconds, and not {seconds}")


def first_minute(course: Path) -> FirstMinute:
    """Play the worked example of lesson 03 with every delay that makes a difference.

    Raises FirstMinuteError if Spark's recording in the pack is a different one than the model's. It also does if
    the example no longer answers the question as the page says.
    """
    packed = find_exercise(EXAMPLE, course / "03_watermarks")
    query, scenario = query_of(example_of(packed), packed.exercise), packed.public
    if behaviour(play(query, scenario).recording) != behaviour(packed.expected["as_is"]):
        raise FirstMinuteError(f"Spark and its model differ on {EXAMPLE}.")
    clicks = tuple(Click(_event_time(e.value[_COLUMN]), e.step) for e in scenario.events)
    newest = _newest(query, scenario)
    outcomes = _outcomes(query, scenario, newest)
    first_count = outcomes[0].counts[0]
    minute = FirstMinute(
        clicks=clicks,
        newest=newest,
        outcomes=outcomes,
        delay=int(length(watermarks(query.plan)[0].delay).total_seconds()),
        window=first_count.end - first_count.start,
        question=[clock(click.at) for click in clicks].index(QUESTION),
        code=_code(packed, query),
        best=_best(outcomes),
    )
    _check(minute)
    return minute


def outcome_of(query: Query, scenario: Scenario, seconds: int) -> Outcome:
    """What the model does with a delay of so many seconds."""
    played = play(_with_delay(query, seconds), scenario)
    ends = in_the_end(played.fates)
    counts = tuple(_counts(played))
    emitted = [count.emitted for count in counts if count.emitted is not None]
    return Outcome(
        least=seconds,
        most=seconds,
        dropped=tuple(place for place, end in sorted(ends.items()) if end == "dropped"),
        counts=counts,
        first=min(emitted, default=None),
        most_rows=max(batch.state_rows for batch in played.recording.batches),
    )


def watermarks_of(query: Query, scenario: Scenario, seconds: int) -> list[int]:
    """The model's watermark after each step, for a delay in seconds, in seconds after midnight."""
    recording = play(_with_delay(query, seconds), scenario).recording
    found = [recording.watermark_after(step) for step in range(1, scenario.steps + 1)]
    return [_event_time(watermark) for watermark in found if watermark is not None]


def _outcomes(query: Query, scenario: Scenario, newest: tuple[int, ...]) -> tuple[Outcome, ...]:
    """Neighboring delays with the same result are one outcome.

    A result can change only where a watermark meets a click or a window's end: those delays are played, and the
    seconds next to each.
    """
    times = {_event_time(event.value[_COLUMN]) for event in scenario.events}
    edges = times | {count.end for count in _counts(play(query, scenario))}
    meeting = {new - edge for new in newest for edge in edges if new >= edge}
    delays = sorted({d for m in meeting for d in (m, m + 1)} | {0, LONGEST})
    found: list[Outcome] = []
    for delay in delays:
        outcome = outcome_of(query, scenario, delay)
        if found and _result(found[-1]) == _result(outcome):
            found[-1] = replace(outcome, least=found[-1].least)
        else:
            found.append(outcome)
    upper = [following.least - 1 for following in found[1:]] + [LONGEST]
    return tuple(replace(o, most=most) for o, most in zip(found, upper, strict=True))


def _result(outcome: Outcome) -> Outcome:
    return replace(outcome, least=0, most=0)


def _counts(played: Played) -> Iterator[Count]:
    """Each window that had a row in state, the earliest first."""
    batches = played.recording.batches
    steps = {batch.id: batch.step for batch in batches}
    emitted = {
        _event_time(row["window"]["start"]): (batch.step, row["clicks"])
        for batch in batches
        for row in batch.rows
    }
    arrived: dict[Window, list[int]] = {}
    for fate in played.fates:
        if fate.what == "kept":
            arrived.setdefault(fate.key["window"], []).append(steps[fate.batch])
    for window, found in sorted(arrived.items()):
        start, end = map(_second, window)
        step, clicks = emitted.get(start, (None, len(found)))
        yield Count(start, end, min(found), step, clicks)


def _newest(query: Query, scenario: Scenario) -> tuple[int, ...]:
    """The watermarks of a delay of 0, each of which is the newest event time so far."""
    return tuple(watermarks_of(query, scenario, 0))


def _best(outcomes: tuple[Outcome, ...]) -> int:
    whole = [
        place for place, outcome in enumerate(outcomes) if not outcome.dropped and outcome.first
    ]
    return min(whole, key=lambda place: outcomes[place].first or 0)


def _check(minute: FirstMinute) -> None:
    """The sentences of the page hold: Spark drops this click alone, and a longer delay has its price."""
    shown = minute.of_delay(minute.delay)
    if shown.dropped != (minute.question,):
        raise FirstMinuteError(f"the worked example {EXAMPLE} drops other clicks than {QUESTION}.")
    by_delay = [minute.of_delay(seconds) for seconds in (*SLIDER, LONGEST)]
    for shorter, longer in pairwise(by_delay):
        if len(longer.dropped) > len(shorter.dropped) or longer.most_rows < shorter.most_rows:
            raise FirstMinuteError("a longer delay does not always drop fewer and keep more.")


def _code(packed: PackedExercise, query: Query) -> tuple[str, str]:
    """What the lesson's function returns, indented by tabs, before and after the delay's text."""
    function = packed.cell[packed.cell.index(f"def {packed.exercise.answer}(") :]
    returned = dedent("    " + function.partition("return ")[2]).strip().replace("    ", "\t")
    before, between, after = returned.partition(watermarks(query.plan)[0].delay)
    if not between or between in after:
        raise FirstMinuteError(f"the code of {EXAMPLE} does not have its delay once.")
    return before, after


def _with_delay(query: Query, seconds: int) -> Query:
    def set_delay(node: Any) -> Any:
        if isinstance(node, Watermark):
            return replace(node, delay=f"{seconds} seconds")
        return node

    return replace(query, plan=changed(query.plan, set_delay))


def _event_time(text: str) -> int:
    return _second(moment(text))


def _second(time: datetime) -> int:
    return int((time - _MIDNIGHT).total_seconds())


def clock(second: int) -> str:
    """A second after midnight as HH:MM:SS."""
    return f"{second // 3600:02}:{second // 60 % 60:02}:{second % 60:02}"
