"""Where the watermark of a run was, beside where it should have been, and what that did to late rows."""

from __future__ import annotations

from dataclasses import dataclass

from grader.judging.finding import Finding, finding
from grader.judging.instants import micros, several_days
from grader.judging.play import Play
from grader.scenario.recording import Recording


@dataclass(frozen=True)
class WatermarkGap:
    """A watermark after a step that is not the expected one; None is no watermark yet.

    `columns` are those on which the query sets one, `never` says that the run had none at any time,
    `other_columns` that it follows other columns than the expected one, `days` that the watermarks of
    the play are on several days.
    """

    step: int
    got: str | None
    expected: str | None
    columns: list[str]
    never: bool
    other_columns: bool
    days: bool


def gap_after(play: Play, step: int) -> WatermarkGap | None:
    """The gap between the two watermarks after a step; None where they are the same."""
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
    )


def first_gap(play: Play) -> WatermarkGap | None:
    gaps = (gap_after(play, step) for step in range(1, play.run.steps + 1))
    return next((gap for gap in gaps if gap is not None), None)


def never_has_one(run: Recording) -> bool:
    return not any(batch.watermark for batch in run.batches)


def watermark_at(run: Recording, step: int) -> str | None:
    """The watermark that the step after `step` begins with; after the last one that of its last batch.

    A query that runs no batch without data shows in the next step only how far it has moved.
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

    None where it is not: other windows drop otherwise by the same watermark.
    """
    got, expected = watermark_at(play.run, step - 1), watermark_at(play.expected, step - 1)
    dropped = play.run.dropped_in(step)
    if is_earlier(expected, got) if dropped else is_earlier(got, expected):
        return finding("watermark_gap", gap=gap_after(play, step - 1))
    mine, right = play.run.plan.watermarks, play.expected.plan.watermarks
    if not dropped and mine and set(mine) < set(right):
        return finding("input_without_watermark", columns=mine)
    return None


def _follows_other_columns(play: Play) -> bool:
    mine, right = (set(run.plan.watermarks) for run in (play.run, play.expected))
    return bool(mine and right) and mine != right
