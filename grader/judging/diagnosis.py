"""Fingerprints of known mistakes, and which of them a run fits."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from grader.judging.facts import fact_print
from grader.judging.rows import Row, normal_rows
from grader.judging.schema import schema_faults
from grader.scenario import Fact
from grader.scenario.recording import Failure, Recording

_QUOTED = re.compile(r"`([^`]*)`")
_PASSING = re.compile(r"0x[0-9a-f]+|\S*/\S*|[^\x00-\x7f]+")  # addresses, paths, garbled bytes
_MOMENT = re.compile(r"\d{10,}")  # seconds since 1970 have ten digits, milliseconds thirteen
_NUMBER = re.compile(r"'(?:int|float)'")  # depends on the rest of the batch
_EXCEPTION = re.compile(r"^([\w.]+(?:Error|Exception))\b", re.M)
_ONE_FOR_MANY = "_LEGACY_ERROR"  # how a condition begins by which Spark refuses different queries


@dataclass(frozen=True)
class Prints:
    """What a run did compared with what it should have done, hashed.

    - `shown` stands for all that a recording shows of a run on a known scenario. That is how it ended,
      and by step the rows, the watermark, what was dropped and kept, and the figures of facts.
    - `plan` stands for what Spark made of the query, which is the same on any events; it is empty if the
      plan distinguishes nothing
    """

    shown: str
    plan: str


@dataclass(frozen=True)
class Fingerprint:
    """A known wrong solution on the public scenario; `failed` are the criteria that it fails."""

    id: str
    title: str
    hint: str
    prints: Prints
    failed: list[str]

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Fingerprint:
        return cls(**{**data, "prints": Prints(**data["prints"])})


def prints_of(
    actual: Recording, expected: Recording, failed: list[str], facts: Iterable[Fact] = ()
) -> Prints:
    """The prints of a run that failed the criteria `failed`."""
    if actual.given is not None or actual.tests is not None:
        return _prints_of_facts(actual, failed, facts)
    faults = [] if actual.failure else schema_faults(expected.schema, actual.schema)
    columns = actual.schema if faults else expected.schema
    by_step = []
    steps = range(1, actual.steps + 1)
    for step in steps:
        normal = _rows(actual, columns, step)
        by_step.append(sorted(json.dumps(_rounded(row), sort_keys=True) for row in normal))
    shown = {
        "failure": [_ending(actual.failure), _closely(actual.failure)],
        "faults": faults,
        "failed": sorted(failed),
        "rows": by_step,
        "watermark": [actual.watermark_after(step) for step in steps],
        "dropped": [actual.dropped_in(step) for step in steps],
        "state": [actual.state_after(step) for step in steps],
        "facts": {fact.name: fact_print(fact, actual) for fact in facts},
    }
    return Prints(_hash(shown), _plan_print(actual, expected))


def _prints_of_facts(actual: Recording, failed: list[str], facts: Iterable[Fact]) -> Prints:
    """The prints of events or tests that a learner wrote: many do the same, only their figures count."""
    shown = {
        "failure": _ending(actual.failure),
        "failed": sorted(failed),
        "facts": {fact.name: fact_print(fact, actual) for fact in facts},
    }
    return Prints(_hash(shown), "")


def diagnose(fingerprints: list[Fingerprint], prints: Prints) -> Fingerprint | None:
    """The known mistake whose run is this one, on the public scenario; None if several are."""
    fitting = [f for f in fingerprints if f.prints.shown == prints.shown]
    return fitting[0] if len(fitting) == 1 else None


def diagnose_elsewhere(
    fingerprints: list[Fingerprint], runs: Mapping[str, str], prints: Prints
) -> Fingerprint | None:
    """The same for a run on other events; `runs` are the mistakes' own on these: id → `shown`.

    The plan decides, unless several mistakes share it or it says nothing, as about a Python function. Then
    the whole run must equal the run of one mistake, as on the public scenario. Kinds of difference are not
    enough to recognize a mistake.
    """
    planned = [f for f in fingerprints if prints.plan and f.prints.plan == prints.plan]
    if len(planned) == 1:
        return planned[0]
    fitting = [f for f in fingerprints if runs.get(f.id) == prints.shown]
    return fitting[0] if len(fitting) == 1 else None


def _plan_print(actual: Recording, expected: Recording) -> str:
    """Empty if the plan is the right one, or does not show all that the query does."""
    plan = actual.plan
    return "" if plan.opaque or plan.print == expected.plan.print else plan.print


def _rows(
    recording: Recording, columns: list[dict[str, Any]], step: int | None = None
) -> list[Row]:
    found = [
        row
        for batch in recording.batches
        if step is None or batch.step == step
        for row in batch.rows
    ]
    return normal_rows(found, columns) if columns else found


def _ending(failure: Failure | None) -> list[str] | None:
    """What a failed run is known by on any events: its kind, and Spark's condition, the exception, or what
    the grader found."""
    if failure is None:
        return None
    if failure.kind == "timeout":
        return [failure.kind]
    said = failure.condition
    if said is None or said.startswith(_ONE_FOR_MANY):
        said = failure.message.split(":")[0].split("`")[0][:60]
    if failure.kind == "udf":  # its message may speak of the data
        said = (_EXCEPTION.findall(failure.detail) or [said])[-1]
    found = [json.dumps(failure.fields, sort_keys=True)] if failure.fields else []
    return [failure.kind, said, *found]


def _closely(failure: Failure | None) -> list[str]:
    """What else distinguishes two failures on the same events: the names in the message, the call.

    Of the times in a message only the number of digits counts. Of a number it does not count whether it
    is an integer. Groups are processed side by side, each with its own times and types, and chance decides
    which of two failures is seen.
    """
    if failure is None or failure.kind == "timeout":
        return []
    said = _PASSING.sub("", failure.message) if failure.kind == "udf" else ""
    said = _MOMENT.sub(lambda moment: f"{len(moment[0])} digits", said)
    said = _NUMBER.sub("a number", said)
    return [*_QUOTED.findall(failure.message), said, failure.call]


def _rounded(value: Any) -> Any:
    if isinstance(value, float):
        rounded = float(f"{value:.9g}")
        return int(rounded) if rounded.is_integer() else rounded  # 0.0 is 0, as in the rows
    if isinstance(value, dict):
        return {name: _rounded(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [_rounded(inner) for inner in value]
    return value


def _hash(data: Any) -> str:
    return hashlib.sha256(json.dumps(data, sort_keys=True).encode()).hexdigest()[:16]
