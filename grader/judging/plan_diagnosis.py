"""Mistakes that a query's plan shows more surely than its rows, in any exercise."""

from __future__ import annotations

from itertools import pairwise

from grader.judging.verdict import Diagnosis
from grader.scenario import Exercise
from grader.scenario.recording import Recording


def read_plan(exercise: Exercise, actual: Recording, expected: Recording) -> Diagnosis | None:
    """The first such mistake; None where the plan is not known or shows none."""
    got, wanted = actual.plan, expected.plan
    if not got.print or not wanted.print:
        return None
    stateful = any(batch.operators for batch in actual.batches)
    if wanted.watermarks and not got.watermarks:
        hint = (
            "Spark's plan of it has none, so nothing is ever late and no time is ever over. Set withWatermark on the "
            "input before the operator that keeps state."
        )
        if actual.batches and not stateful:
            hint = "Spark's plan of it has none, and no operator that keeps state: each batch stands for itself."
        return Diagnosis("plan.no_watermark", "No watermark in your query", hint)
    if got.too_late and not wanted.too_late and set(got.watermarks) - set(got.too_late):
        return Diagnosis(
            "plan.second_watermark",
            "A second watermark",
            f"Your query sets a watermark on `{got.too_late[0]}`, too, after the operator that keeps state. One on "
            "each input is enough, before the first such operator: Spark carries it on through all that follow. Take "
            "the second one out.",
        )
    if got.too_late and not wanted.too_late:
        return Diagnosis(
            "plan.watermark_too_late",
            "The watermark stands after the operator that needs it",
            f"In the plan the watermark on `{got.too_late[0]}` comes after the operator that keeps state. Call "
            "withWatermark before it.",
        )
    other = _other_column(exercise, got.watermarks)
    asked = set(wanted.watermarks)  # of a task that asks for none, a watermark is no mistake
    if other is not None and other not in asked and asked - set(got.watermarks):
        return Diagnosis(
            "plan.watermark_column",
            "The watermark is on another column",
            f"Your watermark follows `{other}`; the task counts in the time of another column. Which one says when "
            "the event happened?",
        )
    fewer = got.joins == wanted.joins and got.bounded_joins < wanted.bounded_joins
    if fewer and not _lets_go(actual):  # Spark takes limits from a filter behind the join, too
        return Diagnosis(
            "plan.unbounded_join",
            "The join has no limit in time",
            "Its condition compares keys, and says nothing of how far apart in time two partners may be. Without that "
            "no row can ever be given up.",
        )
    # the mode of a query without state, and of a sink that is Python code, changes no row
    if stateful and not got.opaque and got.output_mode not in ("", wanted.output_mode):
        return Diagnosis(
            "plan.output_mode",
            f"Started in {got.output_mode} mode",
            "Append gives out final rows once, update the changed ones, complete all of them each time. Which one "
            "gives what the task asks for?",
        )
    return None


def _lets_go(run: Recording) -> bool:
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
