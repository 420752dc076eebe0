"""Fingerprints of known mistakes, and which of them a run fits."""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import asdict, dataclass
from typing import Any

from grader.judging.rows import Row, compare, normal_rows, same, schema_faults
from grader.judging.verdict import Diagnosis
from grader.replay.recording import Failure, Recording

_EXCEPTION = re.compile(r"^([\w.]+(?:Error|Exception))\b", re.M)


@dataclass(frozen=True)
class Prints:
    """What a run did, four times hashed, beside what should have come of it.

    `coarse` stands for how it ended and the rows by step, `fine` for dropped and kept rows, too:
    both belong to one scenario. `plan` stands for what Spark made of the query (empty where that
    says nothing of its own), `symptom` for the kinds of difference: they are the same on any events.
    """

    coarse: str
    fine: str
    plan: str
    symptom: str


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


def prints_of(actual: Recording, expected: Recording, failed: list[str]) -> Prints:
    """The prints of a run that failed the criteria `failed`."""
    faults = [] if actual.failure else schema_faults(expected.schema, actual.schema)
    columns = actual.schema if faults else expected.schema
    by_step = []
    for step in range(1, actual.steps + 1):
        normal = _rows(actual, columns, step)
        by_step.append(sorted(json.dumps(_rounded(row), sort_keys=True) for row in normal))
    ending = _ending(actual.failure)
    coarse = {"failure": ending, "faults": faults, "rows": by_step}
    fine = {
        **coarse,
        "dropped": [actual.dropped_in(step) for step in range(1, actual.steps + 1)],
        "state": [actual.state_after(step) for step in range(1, actual.steps + 1)],
    }
    symptom = {"failure": ending, "faults": faults, "failed": sorted(failed)}
    if actual.failure is None:
        symptom |= _differences(actual, expected)
    return Prints(_hash(coarse), _hash(fine), _plan_print(actual, expected), _hash(symptom))


def diagnose(
    fingerprints: list[Fingerprint], prints: Prints, failed: list[str]
) -> Diagnosis | None:
    """The known mistake that a run on the public scenario fits; None where none does, or several."""
    fitting = [
        f
        for f in fingerprints
        if f.prints.coarse == prints.coarse and sorted(f.failed) == sorted(failed)
    ]
    if len(fitting) > 1:
        fitting = [f for f in fitting if f.prints.fine == prints.fine]
    return _only(fitting)


def diagnose_elsewhere(fingerprints: list[Fingerprint], prints: Prints) -> Diagnosis | None:
    """The same for a run on other events, where no output can be compared.

    The plan decides and, where several share it or it says nothing, the kind of the differences.
    """
    fitting = [f for f in fingerprints if f.prints.plan == prints.plan]
    if len(fitting) > 1 or not prints.plan:
        fitting = [f for f in fitting if f.prints.symptom == prints.symptom]
    return _only(fitting)


def _only(fitting: list[Fingerprint]) -> Diagnosis | None:
    if len(fitting) != 1:
        return None
    return Diagnosis(fitting[0].id, fitting[0].title, fitting[0].hint)


def _plan_print(actual: Recording, expected: Recording) -> str:
    """Empty where the plan is the right one, or does not show all that the query does."""
    plan = actual.plan
    return "" if plan.opaque or plan.print == expected.plan.print else plan.print


def _differences(actual: Recording, expected: Recording) -> dict[str, Any]:
    """In which way the rows, the dropped ones and the kept ones differ, whatever the events."""
    wanted, got = (_rows(run, expected.schema) for run in (expected, actual))
    difference = compare(wanted, got)
    columns: dict[str, set[str]] = {}
    for right, wrong in difference.wrong:
        for name, (a, b) in _flat(right, wrong).items():
            if not same(a, b):
                columns.setdefault(name, set()).add(_direction(a, b))
    again = [row for row in difference.unexpected if any(same(row, other) for other in wanted)]
    steps = range(1, actual.steps + 1)
    dropped = [sum(map(run.dropped_in, steps)) for run in (actual, expected)]
    kept = [run.state_after(actual.steps) for run in (actual, expected)]
    first = compare(*(_rows(run, expected.schema, 1) for run in (expected, actual)))
    return {
        "missing": sorted({str(row.get("topic")) for row in difference.missing}),
        "unexpected": sorted({str(row.get("topic")) for row in difference.unexpected}),
        "again": bool(again),
        "wrong": {name: sorted(found) for name, found in sorted(columns.items())},
        "at once": bool(first.wrong),
        "dropped": (dropped[0] > dropped[1]) - (dropped[0] < dropped[1]),
        "kept": (kept[0] > kept[1]) - (kept[0] < kept[1]),
    }


def _flat(right: Row, wrong: Row) -> dict[str, tuple[Any, Any]]:
    """Column → the right value and the wrong one; a record's value by its own fields."""
    pairs: dict[str, tuple[Any, Any]] = {}
    for name in right:
        a, b = right[name], wrong.get(name)
        if isinstance(a, dict) and isinstance(b, dict):
            pairs |= {f"{name}.{inner}": (a.get(inner), b.get(inner)) for inner in a | b}
        else:
            pairs[name] = (a, b)
    return pairs


def _direction(wanted: Any, got: Any) -> str:
    if wanted is None or got is None:
        return "null"
    number = isinstance(wanted, int) and isinstance(got, int)
    return ("more" if got > wanted else "less") if number else "other"


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


def _ending(failure: Failure | None) -> list[str | None] | None:
    if failure is None:
        return None
    told = failure.condition or failure.message.split(":")[0].split("`")[0][:60]
    if failure.kind == "udf":  # its message may speak of the data
        told = (_EXCEPTION.findall(failure.detail) or [told])[-1]
    return [failure.kind, told if failure.kind != "timeout" else None]


def _rounded(value: Any) -> Any:
    if isinstance(value, float):
        return float(f"{value:.9g}")
    if isinstance(value, dict):
        return {name: _rounded(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [_rounded(inner) for inner in value]
    return value


def _hash(data: Any) -> str:
    return hashlib.sha256(json.dumps(data, sort_keys=True).encode()).hexdigest()[:16]
