"""Answers that are called without a stream: pure functions, and test suites."""

from __future__ import annotations

import time
from collections.abc import Callable
from copy import deepcopy
from typing import Any

from pyspark.sql import SparkSession

from grader.replay.failures import Stop, failure_of, is_wrong_call
from grader.replay.function_snapshot import Snapshot
from grader.replay.time_limit import TimeLimit, time_limit
from grader.scenario import Exercise, Variant
from grader.scenario.recording import Batch, Failure, Recording

_NOT_THE_ANSWERS = (TimeLimit, KeyboardInterrupt)
_TYPES = {bool: "boolean", int: "long", float: "double", str: "string"}
# a value of a type or of a subclass, such as a member of an enumeration, as the type itself
_PLAIN: dict[type, Callable[[Any], Any]] = {
    bool: bool,  # before int, of which it is a subclass
    int: int.__int__,
    float: float.__float__,
    str: str.__str__,
}


def call(
    spark: SparkSession,
    exercise: Exercise,
    answer: Callable[..., Any],
    variant: Variant,
    subject: Callable[..., Any] | None,
) -> Recording:
    """Call an answer once for each event (results), or once for each thing that it tests (tests).

    Never raises for what the learner's code does: that is in the recording's `failure`.
    """
    began = time.monotonic()
    recording = Recording(exercise.id, variant.name, variant.scenario.steps)
    recording.plan.opaque = True
    try:
        with time_limit(exercise.timeout, spark):
            if exercise.returns == "tests":
                assert subject is not None, "what is tested stands in subject.py"
                _run_suite(spark, exercise, answer, subject, recording)
            else:
                _collect_results(spark, answer, variant, subject, recording)
    except TimeLimit:
        recording.failure = failure_of(TimeLimit(exercise.timeout), phase="call")
    except Stop as stop:
        recording.failure = stop.failure
    recording.seconds = time.monotonic() - began
    return recording


def _collect_results(
    spark: SparkSession,
    answer: Callable[..., Any],
    variant: Variant,
    subject: Callable[..., Any] | None,
    recording: Recording,
) -> None:
    """What each call returns, as the row of its step; a value that is no dict is column `result`.

    A subject is handed the answer with each event, and what it says of it is the result.
    """
    function = Snapshot(answer).thaw(spark)
    for event in variant.scenario.events:
        try:
            given = deepcopy(event.value)  # an answer may write into what it is given
            result = subject(function, **given) if subject else function(**given)
        except _NOT_THE_ANSWERS:
            raise
        except BaseException as error:
            phase = "signature" if is_wrong_call(error) else "call"
            raise Stop(failure_of(error, phase=phase, step=event.step)) from error
        row = result if isinstance(result, dict) else {"result": result}
        batch = Batch(event.step - 1, event.step, rows_in=1, rows=[_plain(row, event.step)])
        recording.batches.append(batch)
    recording.schema = _schema([batch.rows[0] for batch in recording.batches])


def _plain(row: dict[Any, Any], step: int) -> dict[str, Any]:
    """A result in Python's own types; of a list a copy, as an answer may go on filling its own."""
    plain: dict[str, Any] = {}
    for name, value in row.items():
        place = {"call": step, "column": str(name)}
        if isinstance(value, list | tuple):
            within = {**place, "within": type(value).__name__}
            plain[str(name)] = [_scalar(inner, within) for inner in value]
        else:
            plain[str(name)] = _scalar(value, place)
    return plain


def _scalar(value: Any, place: dict[str, Any]) -> Any:
    if value is None:
        return None
    import numpy as np

    own = value.item() if isinstance(value, np.generic) else value
    for kind, plain in _PLAIN.items():
        if isinstance(own, kind):
            return plain(own)
    fields = {**place, "type": type(value).__name__}
    raise Stop(Failure("results", step=place["call"], fields=fields))


def _schema(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The columns of the results and their types, as far as any call shows them."""
    names = list(dict.fromkeys(name for row in rows for name in row))
    schema = []
    for name in names:
        given = [row[name] for row in rows if name in row]
        values = [value for value in given if value is not None]
        if not values:
            fields = {"column": name, "none": len(given), "calls": len(rows)}
            raise Stop(Failure("results", fields=fields))
        flat = [inner for v in values for inner in (v if isinstance(v, list) else [v])]
        kinds = {_TYPES[type(inner)] for inner in flat if inner is not None}
        kind: Any = "double" if kinds == {"long", "double"} else min(kinds, default="string")
        if any(isinstance(value, list) for value in values):
            kind = {"type": "array", "elementType": kind, "containsNull": True}
        schema.append({"name": name, "type": kind})
    return schema


def _run_suite(
    spark: SparkSession,
    exercise: Exercise,
    suite: Callable[..., Any],
    subject: Callable[..., Any],
    recording: Recording,
) -> None:
    """Whether the suite passes on each thing that a fact names; a new suite and thing each time.

    What must pass is tried once more at the end: a suite may have changed what it keeps outside.
    """
    snapshot = Snapshot(suite)

    def said_of(name: str) -> dict[str, str]:
        tested = subject(name)
        try:
            snapshot.thaw(spark)(tested)
        except _NOT_THE_ANSWERS:
            raise
        except BaseException as error:  # pytest.fail raises one that is no Exception
            failure = failure_of(error, phase="call")
            if isinstance(error, NotImplementedError):
                raise Stop(failure) from error
            if is_wrong_call(error):
                raise Stop(failure_of(error, phase="signature")) from error
            where = f" in the line `{failure.line}`" if failure.line else ""
            return {"outcome": "fail", "said": f"{failure.message}{where}"}
        return {"outcome": "pass", "said": ""}

    facts = [fact for fact in exercise.facts if fact.tests]
    recording.tests = {str(fact.tests): said_of(str(fact.tests)) for fact in facts}
    for name in [str(fact.tests) for fact in facts if fact.equals == "pass"]:
        if recording.tests[name]["outcome"] == "pass":
            again = said_of(name)
            if again["outcome"] == "fail":
                again["said"] += " (when run once more: the first run changed something outside)"
            recording.tests[name] = again
