"""Names that are nearly the same: a column that is written in two ways."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import SequenceMatcher

_ALIKE = 0.6


def nearest(wanted: str, names: Iterable[str]) -> str:
    """The name most like another; empty if none is."""
    scored = [(likeness(wanted, name), name) for name in names if name.isidentifier()]
    best = max(scored, default=(0.0, ""))
    return best[1] if best[0] >= _ALIKE else ""


def likeness(one: str, other: str) -> float:
    """How much two names are alike, from 0 to 1; case and underscores do not count."""
    first, second = (name.lower().replace("_", "") for name in (one, other))
    return SequenceMatcher(None, first, second).ratio()
