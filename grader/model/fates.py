"""What became of each event."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

WHATS = ("filtered", "late", "duplicate", "kept", "out")


@dataclass(frozen=True)
class Fate:
    """One thing that happened to one event, by its place in the scenario (from 0).

    `what`: filtered (a condition was not met, or it had no time for its window), late (dropped by
    the watermark), duplicate, kept (it went into the state of an operator), out (a row that it is
    part of came out of the query). `key` is the group or session that it concerns.
    """

    event: int
    batch: int
    what: str
    operator: str = ""
    key: dict[str, Any] = field(default_factory=dict)
