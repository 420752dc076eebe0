"""Fingerprints of known mistakes, and which of them a run fits."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass
from typing import Any

from grader.judging.rows import normal_rows, schema_faults
from grader.judging.verdict import Diagnosis
from grader.replay.recording import Failure, Recording


@dataclass(frozen=True)
class Fingerprint:
    """What a known wrong solution does on the public scenario.

    `coarse` stands for how it ended and the rows by step, `fine` for dropped and kept rows,
    too; `failed` are the criteria that it fails.
    """

    id: str
    title: str
    hint: str
    coarse: str
    fine: str
    failed: list[str]

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Fingerprint:
        return cls(**data)


def prints_of(recording: Recording, expected: Recording) -> tuple[str, str]:
    """The coarse and the fine print of a run."""
    faults = [] if recording.failure else schema_faults(expected.schema, recording.schema)
    columns = recording.schema if faults else expected.schema
    by_step = []
    for step in range(1, recording.steps + 1):
        rows = [row for batch in recording.of_step(step) for row in batch.rows]
        normal = normal_rows(rows, columns) if columns else rows
        by_step.append(sorted(json.dumps(_rounded(row), sort_keys=True) for row in normal))
    coarse = {"failure": _ending(recording.failure), "faults": faults, "rows": by_step}
    fine = {
        **coarse,
        "dropped": [recording.dropped_in(step) for step in range(1, recording.steps + 1)],
        "state": [recording.state_after(step) for step in range(1, recording.steps + 1)],
    }
    return _hash(coarse), _hash(fine)


def diagnose(
    fingerprints: list[Fingerprint], coarse: str, fine: str, failed: list[str]
) -> Diagnosis | None:
    """The one known mistake that a run fits; None where none does, or more than one."""
    fitting = [f for f in fingerprints if f.coarse == coarse and sorted(f.failed) == sorted(failed)]
    if len(fitting) > 1:
        fitting = [f for f in fitting if f.fine == fine]
    if len(fitting) != 1:
        return None
    found = fitting[0]
    return Diagnosis(found.id, found.title, found.hint)


def _ending(failure: Failure | None) -> list[str | None] | None:
    if failure is None:
        return None
    told = failure.condition or failure.message.split(":")[0].split("`")[0][:60]
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
