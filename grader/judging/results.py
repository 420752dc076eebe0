"""Calls of a pure function, each compared with what the solution gave."""

from __future__ import annotations

from grader.judging.finding import Judgement, failed, passed
from grader.judging.play import Play, rows_of
from grader.judging.rows import compare


def results(play: Play) -> Judgement:
    """Whether each call gave the right result; else the steps of those that did not."""
    steps = range(1, play.expected.steps + 1)
    wrong = [step for step in steps if _differs(play, step)]
    if not wrong:
        return passed("rows", "calls_right", count=len(steps))
    if play.hidden:
        return failed("rows", "unseen_calls_wrong", count=len(steps), wrong=len(wrong))
    return failed("rows", "calls_wrong", count=len(steps), wrong=wrong)


def _differs(play: Play, step: int) -> bool:
    expected, got = (rows_of(run, play.expected, step) for run in (play.expected, play.run))
    return bool(compare(expected, got)) or bool(left_out(play, step))


def left_out(play: Play, step: int) -> set[str]:
    """The keys that a call should have given, if only with None, and did not."""
    expected, got = (
        {name for batch in run.batches if batch.step == step for name in batch.rows[0]}
        for run in (play.expected, play.run)
    )
    return expected - got
