"""What the judge found, as data: grader.judging.wording makes sentences of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Finding:
    """What was found: a kind, and its details by name."""

    kind: str
    fields: dict[str, Any]


def finding(kind: str, **fields: Any) -> Finding:
    return Finding(kind, fields)


@dataclass(frozen=True)
class Judgement:
    """One criterion judged, by the name that a verdict calls it, and why."""

    name: str
    passed: bool
    why: Finding


def passed(name: str, kind: str, **fields: Any) -> Judgement:
    return Judgement(name, True, Finding(kind, fields))


def failed(name: str, kind: str, **fields: Any) -> Judgement:
    return Judgement(name, False, Finding(kind, fields))
