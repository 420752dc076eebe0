"""What became of each event."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Fate:
    """One thing that happened to one event, by its place in the scenario (from 0).

    The `key` is the group or session that it concerns, `what` is one of these:

    - filtered: a condition was not met, or the event had no time for its window
    - late: dropped by the watermark
    - duplicate
    - kept: the event went into the state of an operator, or to a function that keeps state
    - out: the query emitted a row that the event is part of
    """

    event: int
    batch: int
    what: str
    operator: str = ""
    key: dict[str, Any] = field(default_factory=dict)


def in_the_end(fates: Iterable[Fate]) -> dict[int, str]:
    """Each event by its place: counted in something, else dropped as late, else silent."""
    found: dict[int, set[str]] = {}
    for fate in fates:
        found.setdefault(fate.event, set()).add(fate.what)
    return {place: _end(whats) for place, whats in found.items()}


def _end(whats: set[str]) -> str:
    if "kept" in whats or "out" in whats:
        return "counted"
    return "dropped" if "late" in whats else "silent"
