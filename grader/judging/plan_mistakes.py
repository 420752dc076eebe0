"""Mistakes that a query's plan shows more surely than its rows, in any exercise."""

from __future__ import annotations

from itertools import pairwise

from grader.judging.finding import Finding, finding
from grader.scenario import Exercise
from grader.scenario.recording import Recording


def mistake_in_plan(exercise: Exercise, actual: Recording, expected: Recording) -> Finding | None:
    """The first such mistake, its id as its kind; None if the plan is not known or shows none."""
    got, wanted = actual.plan, expected.plan
    if not got.print or not wanted.print:
        return None
    stateful = any(batch.operators for batch in actual.batches)
    if wanted.watermarks and not got.watermarks:
        stateless = bool(actual.batches) and not stateful
        return finding("plan.no_watermark", stateless=stateless)
    if got.too_late and not wanted.too_late:
        second = set(got.watermarks) - set(got.too_late)
        kind = "plan.second_watermark" if second else "plan.watermark_too_late"
        return finding(kind, column=got.too_late[0])
    other = _other_column(exercise, got.watermarks)
    right = set(wanted.watermarks)  # if a task needs no watermark, a watermark is not a mistake
    if other is not None and other not in right and right - set(got.watermarks):
        return finding("plan.watermark_column", column=other)
    fewer = got.joins == wanted.joins and got.bounded_joins < wanted.bounded_joins
    if fewer and not _evicts(actual):  # Spark takes limits from a filter after the join, too
        return finding("plan.unbounded_join")
    # the mode of a query without state, and of a sink that is Python code, changes no row
    if stateful and not got.opaque and got.output_mode not in ("", wanted.output_mode):
        return finding("plan.output_mode", mode=got.output_mode)
    return None


def _evicts(run: Recording) -> bool:
    """Whether the joins of a run ever kept fewer rows than a batch before."""
    kept = [
        sum(operator.rows_total for operator in batch.operators if "Join" in operator.name)
        for batch in run.batches
    ]
    return any(after < before for before, after in pairwise(kept))


def _other_column(exercise: Exercise, columns: list[str]) -> str | None:
    """A watermark's column that is a column of an input, and not its event time."""
    for given in exercise.inputs.values():
        names = [part.split()[0].strip("`") for part in given.schema.split(",") if part.split()]
        for column in columns:
            if column in names and column != given.event_time:
                return column
    return None
