"""The criteria of a stream, one function each: a play of the exercise in, a `Judgement` out."""

from __future__ import annotations

from grader.judging.finding import Judgement, failed, passed
from grader.judging.play import Play, rows_of
from grader.judging.row_differences import RowDifference
from grader.judging.rows import Row, compare, same
from grader.judging.watermark_gap import (
    first_gap,
    first_other_drop,
    gap_after,
    is_earlier,
    is_set_after_state,
    why_dropped_otherwise,
)
from grader.scenario.recording import Recording


def rows(play: Play, difference: RowDifference | None) -> Judgement:
    """Whether the right rows were emitted; `difference` is None if so."""
    if difference is None:
        return passed("rows", "rows_right", count=len(play.wanted))
    if play.hidden:
        return failed("rows", "unseen_rows_wrong", changes=difference.changes)
    step = first_other_drop(play)
    why = why_dropped_otherwise(play, step) if step is not None else None
    gap = None if why else first_gap(play)
    return failed("rows", "rows_wrong", difference=difference, step=step, why=why, gap=gap)


def batching(play: Play, difference: RowDifference | None) -> Judgement:
    """Whether the answer is the same in other micro-batches."""
    if difference is None:
        return passed("batching", "batching_right")
    return failed("batching", "batching_wrong", difference=difference)


def step(play: Play) -> Judgement:
    for number in range(1, play.run.steps + 1):
        wanted = rows_of(play.expected, play.expected, number)
        difference = compare(wanted, rows_of(play.run, play.expected, number))
        if difference:
            early = difference.unexpected or [got for _, got in difference.wrong]
            row = (early or difference.missing)[0]
            later = _step_that_makes_up(row, number, play)
            actual, due = (number, later) if early else (later, number)
            gap = gap_after(play, number)
            return failed("step", "row_at_other_step", row=row, actual=actual, due=due, gap=gap)
    return passed("step", "steps_right")


def _step_that_makes_up(row: Row, number: int, play: Play) -> int:
    """The step after `number` in which a row that is right over the whole run makes up for its other one."""

    def often(run: Recording, step: int) -> int:
        return sum(same(row, other) for other in rows_of(run, play.expected, step))

    def surplus(step: int) -> int:
        return often(play.run, step) - often(play.expected, step)

    first = surplus(number)
    return next(n for n in range(number + 1, play.run.steps + 1) if surplus(n) * first < 0)


def watermark(play: Play) -> Judgement:
    """For a task that says how late events may be: a different delay is wrong even if no row shows it."""
    gap = first_gap(play)
    if gap is None:
        return passed("watermark", "watermark_right")
    return failed(
        "watermark",
        "watermark_wrong",
        gap=gap,
        longer=is_earlier(gap.got, gap.expected),
        after_state=is_set_after_state(play),
    )


def late_rows(play: Play) -> Judgement:
    step = first_other_drop(play)
    if step is None:
        some = any(play.expected.dropped_in(n) for n in range(1, play.run.steps + 1))
        return passed("late_rows", "late_rows_right" if some else "no_late_row")
    why = why_dropped_otherwise(play, step)
    dropped = play.run.dropped_in(step)
    if not dropped:
        return failed("late_rows", "late_row_kept", step=step, why=why)
    return failed("late_rows", "row_dropped", step=step, rows=dropped, why=why)
