"""A kind of question: a function that poses one by chance, or gives up with None."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from random import Random

from grader.model.drill.question import Posed, WhichOne
from grader.model.query import Aggregate, Fold, Node, Source, TimeWindow, Watermark

Made = Posed | WhichOne | None


@dataclass(frozen=True)
class Kind:
    """`levels` are those at which it is asked, 1 the easiest."""

    name: str
    levels: tuple[int, ...]
    pose: Callable[[Random, int], Made]


def delayed_clicks(delay: str) -> Watermark:
    return Watermark(Source("clicks", {"id": "string", "at": "timestamp"}), "at", delay)


def counted(node: Node, window: TimeWindow, name: str = "clicks") -> Aggregate:
    """How many by window."""
    return Aggregate(node, {"window": window}, {name: Fold("count")})
