"""The watermark of a run compared with the expected one, and what the difference did to late rows."""

from __future__ import annotations

from dataclasses import dataclass

from grader.judging.finding import Finding, finding
from grader.judging.instants import micros, several_days
from grader.judging.play import Play
from grader.scenario.recording import Recording


@dataclass(frozen=True)
class WatermarkGap:
    """A watermark after a step that is not the expected one; None is no watermark yet.

    - `columns`: the columns on which the query sets a watermark
    - `never`: the run never had a watermark
    - `other_columns`: the watermark follows columns other than the expected ones
    - `days`: the watermarks of the play are on several days
    - `shift`: how much later it is than expected (microseconds, negative if earlier), if this is the same
      after every step; a different delay does that
    """

    step: int
    got: str | None
    expected: str | None
    columns: list[str]
    never: bool
    other_columns: bool
    days: bool
    shift: int | None = None


def gap_after(play: Play, step: int) -> WatermarkGap | None:
    """The gap between the two watermarks after a step; None if they are the same."""
    got, expected = watermark_at(play.run, step), watermark_at(play.expected, step)
    if got == expected:
        return None
    runs = (play.expected, play.run)
    return WatermarkGap(
        step,
        got,
        expected,
        play.run.plan.watermarks,
        never=never_has_one(play.run),
        other_columns=_follows_other_columns(play),
        days=several_days(batch.watermark for run in runs for batch in run.batches),
        shift=_constant_shift(play),
    )


def first_gap(play: Play) -> WatermarkGap | None:
    gaps = (gap_after(play, step) for step in range(1, play.run.steps + 1))
    return next((gap for gap in gaps if gap is not None), None)


def never_has_one(run: Recording) -> bool:
    return not any(batch.watermark for batch in run.batches)


def watermark_at(run: Recording, step: int) -> str | None:
    """The watermark that the step after `step` begins with; after the last one that of its last batch.

    If a query runs no no-data batch, only the next step shows how far the watermark has advanced.
    """
    following = run.of_step(step + 1)
    return (following[0].watermark if following else None) or run.watermark_after(step)


def is_earlier(got: str | None, expected: str | None) -> bool:
    """Whether one watermark is earlier than another; none at all is the earliest."""
    return expected is not None and (got is None or micros(got) < micros(expected))


def is_set_after_state(play: Play) -> bool:
    """Whether a query sets each watermark after the operator that keeps state; the solution does not."""
    mine, right = play.run.plan, play.expected.plan
    return (
        bool(mine.watermarks) and set(mine.watermarks) == set(mine.too_late) and not right.too_late
    )


def first_other_drop(play: Play) -> int | None:
    """The first step in which a run drops late rows and the solution none, or the other way round."""
    steps = range(1, play.run.steps + 1)
    drops = ((step, play.run.dropped_in(step), play.expected.dropped_in(step)) for step in steps)
    return next((step for step, got, wanted in drops if bool(got) != bool(wanted)), None)


def why_dropped_otherwise(play: Play, step: int) -> Finding | None:
    """Why a step dropped late rows and should not have, or the other way round, if the watermark is why.

    None if it is not: with the same watermark, different windows drop different rows.
    """
    got, expected = watermark_at(play.run, step - 1), watermark_at(play.expected, step - 1)
    dropped = play.run.dropped_in(step)
    if is_earlier(expected, got) if dropped else is_earlier(got, expected):
        return finding("watermark_gap", gap=gap_after(play, step - 1))
    mine, right = play.run.plan.watermarks, play.expected.plan.watermarks
    if not dropped and mine and set(mine) < set(right):
        return finding("input_without_watermark", columns=mine)
    return None


def _constant_shift(play: Play) -> int | None:
    """The difference (microseconds) of two watermarks that differ by it after every step, while they advance.

    A query that has no watermark when the other has one differs by something else.
    """
    pairs = [
        tuple(watermark_at(run, step) for run in (play.run, play.expected))
        for step in range(1, play.run.steps + 1)
    ]
    both = {(got, expected) for got, expected in pairs if got and expected}
    if len(both) < 2 or any((got is None) != (expected is None) for got, expected in pairs):
        return None
    shifts = {micros(got) - micros(expected) for got, expected in both}
    return shifts.pop() if len(shifts) == 1 else None


def _follows_other_columns(play: Play) -> bool:
    mine, right = (set(run.plan.watermarks) for run in (play.run, play.expected))
    return bool(mine and right) and mine != right
