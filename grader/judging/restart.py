"""The answer after a kill: a run that died between sink and commit, and was started again."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from grader.judging.finding import Judgement, failed, passed
from grader.judging.play import Play, rows_of, written_of
from grader.judging.row_causes import Change
from grader.judging.row_differences import (
    changes_between,
    changes_of,
    field_pairs,
    is_duplicate,
    updates_rows,
)
from grader.judging.rows import Row, same
from grader.scenario.recording import Recording

ByStep = dict[int, list[Row]]


def restart(name: str, play: Play, expected: ByStep, got: ByStep, *, once: bool) -> Judgement:
    """Judge a run that was killed by its rows of each step; With `once`, a repeated record counts once."""
    changes = _changes(expected, got, play, once=once)
    if not changes:
        return passed(name, "restart_right")
    before = _differs_before_the_kill(play)
    if before is not None:
        step, changes = before
        return failed(name, "first_play_left_something", step=step, changes=changes)
    means = _meaning(changes, [row for rows in expected.values() for row in rows], play)
    return failed(name, "restart_wrong", changes=changes, means=means)


def _changes(wanted: ByStep, got: ByStep, play: Play, *, once: bool) -> list[Change]:
    """How the records of two whole runs differ.

    If rows are emitted again when they change, each row is compared only with rows of its own step. The
    same row in a different step is not a version of it.
    """

    def between(numbers: Iterable[int]) -> list[Change]:
        right, wrong = ({number: rows[number] for number in numbers} for rows in (wanted, got))
        if once:
            right, wrong = _distinct(right), _distinct(wrong)
        return changes_between(right, wrong, play.variant.scenario)

    changes = between(wanted)
    if not changes or not updates_rows(play):
        return changes
    return [change for number in wanted for change in between([number])]


def rows_by_step(run: Recording, play: Play) -> ByStep:
    """The rows of a run, by the step in which they were emitted."""
    return {n: rows_of(run, play.expected, n) for n in range(1, run.steps + 1)}


def written_by_step(run: Recording, play: Play) -> ByStep:
    """All that a writer's own sink was given, by step, some of it twice; each is a separate object."""
    steps = range(1, run.steps + 1)
    return {number: [dict(row) for row in _written(run, number, play)] for number in steps}


def _written(run: Recording, number: int, play: Play) -> list[Row]:
    return written_of(replace(run, batches=run.of_step(number)), play.expected)


def _meaning(changes: list[Change], expected: list[Row], play: Play) -> str:
    """What a difference after a kill means, as far as the rows show it.

    - `twice`: rows reached the sink twice
    - `counted_twice`: what is kept outside the checkpoint was ahead of it
    - `lost`: what is kept outside the checkpoint is gone
    - `outside`: the cause is outside the checkpoint, and the rows do not show which of the two it is
    """
    if all(is_duplicate(change, expected) for change in changes):
        return "twice"
    later = list(range((play.variant.crash_after or 0) + 1, play.run.steps + 1))
    ways = {_way(change) for change in changes_of(play, later) if change.kind == "wrong value"}
    return {1: "counted_twice", -1: "lost"}.get(ways.pop() if len(ways) == 1 else 0, "outside")


def _way(change: Change) -> int:
    """1 if every value that differs is a number that has grown, -1 if it has shrunk, otherwise 0."""
    assert change.wanted is not None and change.got is not None
    pairs = [pair for pair in field_pairs(change.wanted, change.got).values() if not same(*pair)]
    ways = {
        (got > wanted) - (got < wanted)
        if isinstance(wanted, int | float) and isinstance(got, int | float)
        else 0
        for wanted, got in pairs
    }
    return ways.pop() if len(ways) == 1 else 0


def _differs_before_the_kill(play: Play) -> tuple[int, list[Change]] | None:
    """The first step before the kill whose rows differ already, though the same events gave the right ones.

    The plain play of the same events came first and was right: something that it left behind was
    still there. None if nothing shows that.
    """
    for number in range(1, (play.variant.crash_after or 0) + 1):
        batches = [b for b in play.run.of_step(number) if not b.rerun]
        changes = changes_between(
            {number: _written(play.expected, number, play)},
            {number: written_of(replace(play.run, batches=batches), play.expected)},
            play.variant.scenario,
        )
        if changes:
            return number, changes
    return None


def _distinct(by_step: ByStep) -> ByStep:
    """Each record where it came for the first time."""
    kept: ByStep = {}
    for number, rows in by_step.items():
        kept[number] = []
        for row in rows:
            if not any(same(row, other) for known in kept.values() for other in known):
                kept[number].append(row)
    return kept
