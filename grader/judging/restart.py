"""The answer after a kill: a run that died between sink and commit, and was started again."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from grader.judging.message import told
from grader.judging.play import Play, rows_of, written_of
from grader.judging.row_causes import Change
from grader.judging.row_differences import (
    came_again,
    change_text,
    changes_between,
    changes_of,
    counts_text,
    field_pairs,
    told_again,
)
from grader.judging.rows import Row, same
from grader.judging.verdict import Criterion
from grader.scenario import Exercise
from grader.scenario.recording import Recording

SHOWN = 3
ByStep = dict[int, list[Row]]


def restart(exercise: Exercise, play: Play) -> Criterion:
    """Judge a run that was killed; a writer's records count as often as they stand in the topic."""
    assert play.actual is not None
    name = "exactly_once" if "exactly_once" in exercise.criteria else "restart"
    wanted, got = (_by_step(run, play, exercise) for run in (play.expected, play.actual))
    once = exercise.returns == "writer" and name == "restart"
    changes = _changes(wanted, got, play, once=once)
    if not changes:
        said = "Killed before its commit and started again, the query gives the same answer."
        return Criterion(name, True, said)
    outlived = _outlived(play)
    if outlived:
        return Criterion(name, False, outlived)
    happened = (
        "You were asked for an answer that survives a kill. After one between sink and commit, and a "
        f"restart from the checkpoint, it differs: {counts_text(changes)}"
    )
    details = [f"{change.kind}: {change_text(change)}" for change in changes[:SHOWN]]
    means, do = _meaning(changes, [row for rows in wanted.values() for row in rows], play)
    return Criterion(name, False, told(happened, details=details, means=means, do=do))


def _changes(wanted: ByStep, got: ByStep, play: Play, *, once: bool) -> list[Change]:
    """How the records of two whole runs differ; `once`: one that came again counts as one.

    Where rows are told again as they change, each is held against those of its own step: the same
    row of another moment is no other version of it.
    """

    def between(numbers: Iterable[int]) -> list[Change]:
        right, wrong = ({number: rows[number] for number in numbers} for rows in (wanted, got))
        if once:
            right, wrong = _distinct(right), _distinct(wrong)
        return changes_between(right, wrong, play.variant.scenario)

    changes = between(wanted)
    if not changes or not told_again(play):
        return changes
    return [change for number in wanted for change in between([number])]


def _by_step(run: Recording, play: Play, exercise: Exercise) -> ByStep:
    """The rows of a run, by the step in which they came.

    Of a writer these are all that its own sink was given, some of it twice; each is an object of its own.
    """
    steps = range(1, run.steps + 1)
    if exercise.returns != "writer":
        return {number: rows_of(run, play.expected, number) for number in steps}
    return {number: [dict(row) for row in _written(run, number, play)] for number in steps}


def _written(run: Recording, number: int, play: Play) -> list[Row]:
    return written_of(replace(run, batches=run.of_step(number)), play.expected)


def _meaning(changes: list[Change], wanted: list[Row], play: Play) -> tuple[str, str]:
    """What a difference after a kill means and what helps, as far as the rows show it."""
    if all(came_again(change, wanted) for change in changes):
        return (
            "The batch that was not committed is run again, and its rows reached the sink twice.",
            "Before you write, look into the topic for what an earlier run of the batch has written.",
        )
    keep = "Keep it in Spark's state, or in a source of your own in its offsets: both go back together."
    assert play.actual is not None
    later = list(range((play.variant.crash_after or 0) + 1, play.actual.steps + 1))
    ways = {_way(change) for change in changes_of(play, later) if change.kind == "wrong value"}
    if ways == {1}:
        return (
            "This happens where a batch that runs again finds itself counted already: what is kept outside "
            "the checkpoint does not go back with it.",
            keep,
        )
    if ways == {-1}:
        return "What was counted before the kill is gone: the checkpoint does not hold it.", keep
    return "What a query keeps outside its checkpoint does not go back with it.", keep


def _way(change: Change) -> int:
    """1 where every value that differs is a number that has grown, -1 where it has shrunk, else 0."""
    assert change.wanted is not None and change.got is not None
    pairs = [pair for pair in field_pairs(change.wanted, change.got).values() if not same(*pair)]
    ways = {
        (got > wanted) - (got < wanted)
        if isinstance(wanted, int | float) and isinstance(got, int | float)
        else 0
        for wanted, got in pairs
    }
    return ways.pop() if len(ways) == 1 else 0


def _outlived(play: Play) -> str:
    """The message where rows differ before the kill already, though the same events gave the right ones.

    The plain play of the same events came first and was right: something that it left behind was
    still there. Empty where nothing shows that.
    """
    assert play.actual is not None
    for number in range(1, (play.variant.crash_after or 0) + 1):
        batches = [b for b in play.actual.of_step(number) if not b.rerun]
        changes = changes_between(
            {number: _written(play.expected, number, play)},
            {number: written_of(replace(play.actual, batches=batches), play.expected)},
            play.variant.scenario,
        )
        if changes:
            happened = (
                "The check played your answer twice on the same events, each time with new topics and a new "
                f"checkpoint. The first time step {number} was right; the second time, before any kill, "
                f"it differs: {counts_text(changes)}"
            )
            return told(
                happened,
                means="Something that the first play left behind, such as a file, was still there in the second.",
                do="Keep what must last in the checkpoint or in the topic that you write: they belong to one run.",
            )
    return ""


def _distinct(by_step: ByStep) -> ByStep:
    """Each record where it came first."""
    kept: ByStep = {}
    for number, rows in by_step.items():
        kept[number] = []
        for row in rows:
            if not any(same(row, other) for known in kept.values() for other in known):
                kept[number].append(row)
    return kept
