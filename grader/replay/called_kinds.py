"""The kinds of answer that are called without a stream: pure functions, and test suites."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from copy import deepcopy
from typing import Any

from pyspark.sql import SparkSession

from grader.replay.deadline import Deadline
from grader.replay.failures import Stop, failure_of, is_wrong_call
from grader.replay.function_snapshot import Answer, Snapshot
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


class CalledRun(ABC):
    """A play without topics, sessions and batches: calls of the answer, all under one time limit."""

    own_writer = None  # there is none

    def __init__(
        self,
        spark: SparkSession,
        exercise: Exercise,
        answer: Answer,
        variant: Variant,
        subject: Answer | None,
    ):
        self.spark = spark
        self.exercise = exercise
        self.answer = Snapshot(answer)
        self.variant = variant
        self.subject = subject
        self.recording = Recording(exercise.id, variant.name, variant.scenario.steps)
        self.recording.plan.opaque = True

    @abstractmethod
    def call(self) -> None:
        """Call the answer and record what it does."""

    def play(self) -> None:
        """All calls; raises Stop if the answer fails."""
        deadline = Deadline(self.exercise.timeout)
        try:
            with time_limit(deadline.seconds, self.spark):
                self.call()
        except TimeLimit:
            raise Stop(deadline.missed()) from None


class ResultsReplay(CalledRun):
    """The function is called once for each event: what it returns is the row of the event's step.

    A value that is not a dict is the column `result`. A subject gets the function with each event, and
    what it returns is the result.
    """

    def call(self) -> None:
        function = self.answer.thaw(self.spark)
        for event in self.variant.scenario.events:
            try:
                given = deepcopy(event.value)  # an answer may write into what it is given
                result = self.subject(function, **given) if self.subject else function(**given)
            except _NOT_THE_ANSWERS:
                raise
            except BaseException as error:
                phase = "signature" if is_wrong_call(error) else "call"
                raise Stop(failure_of(error, phase=phase, step=event.step)) from error
            row = result if isinstance(result, dict) else {"result": result}
            batch = Batch(event.step - 1, event.step, rows_in=1, rows=[_plain(row, event.step)])
            self.recording.batches.append(batch)
        self.recording.schema = _schema([batch.rows[0] for batch in self.recording.batches])


class SuiteReplay(CalledRun):
    """The function is a test suite: it runs on each thing that a fact names, a new one each time.

    What must pass is tried again at the end: a suite may have changed what it keeps outside.
    """

    def call(self) -> None:
        facts = [fact for fact in self.exercise.facts if fact.tests]
        tests = {str(fact.tests): self._said_of(str(fact.tests)) for fact in facts}
        self.recording.tests = tests
        for name in [str(fact.tests) for fact in facts if fact.equals == "pass"]:
            if tests[name]["outcome"] == "pass":
                again = self._said_of(name)
                if again["outcome"] == "fail":
                    tests[name] = {**again, "run": "second"}

    def _said_of(self, name: str) -> dict[str, str]:
        assert self.subject is not None, "what is tested is in subject.py"
        tested = self.subject(name)
        try:
            self.answer.thaw(self.spark)(tested)
        except _NOT_THE_ANSWERS:
            raise
        except BaseException as error:  # pytest.fail raises one that is not an Exception
            failure = failure_of(error, phase="call")
            if isinstance(error, NotImplementedError):
                raise Stop(failure) from error
            if is_wrong_call(error):
                raise Stop(failure_of(error, phase="signature")) from error
            return {"outcome": "fail", "said": failure.message, "line": failure.line}
        return {"outcome": "pass"}


CALLED_KINDS: dict[str, type[CalledRun]] = {"results": ResultsReplay, "tests": SuiteReplay}


def _plain(row: dict[Any, Any], step: int) -> dict[str, Any]:
    """A result in Python's own types; a list is copied, because an answer may go on filling its own."""
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
        kind: Any = "double" if kinds == {"long", "double"} else min(kinds, default="void")
        if any(isinstance(value, list) for value in values):
            kind = {"type": "array", "elementType": kind, "containsNull": True}
        schema.append({"name": name, "type": kind})
    return schema
