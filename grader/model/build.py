"""From a query to the operators that run it, and what Spark refuses on the way."""

from __future__ import annotations

from grader.model.deduplication import Deduplicating
from grader.model.errors import NotModelled, Refused
from grader.model.grouping import Grouping, Sessions
from grader.model.joining import Pairing, Side
from grader.model.operators import (
    Filtering,
    Operator,
    Projecting,
    Reading,
    Uniting,
    Watching,
)
from grader.model.optimizer import columns_of, optimized
from grader.model.query import (
    Aggregate,
    Deduplicate,
    Filter,
    Join,
    Node,
    Project,
    Query,
    SessionWindow,
    Source,
    Union,
    Watermark,
    children,
    nodes,
)

MODES = ("append", "update", "complete")
STATEFUL = (Aggregate, Deduplicate, Join)


def built(query: Query) -> Operator:
    """The operators of a query; raises Refused and NotModelled."""
    _check(query)
    return _operator(optimized(query.plan), query.mode)


def watching(operators: list[Operator]) -> list[Watching]:
    return [o for o in operators if isinstance(o, Watching)]


def _operator(node: Node, mode: str) -> Operator:
    below = [_operator(child, mode) for child in children(node)]
    match node:
        case Source():
            return Reading(node)
        case Filter():
            return Filtering(node, *below)
        case Project():
            return Projecting(node, *below)
        case Watermark():
            return Watching(node, *below)
        case Union():
            return Uniting(*below)
        case Aggregate() if any(isinstance(key, SessionWindow) for key in node.keys.values()):
            return Sessions(node, below[0], mode)
        case Aggregate():
            return Grouping(node, below[0], mode)
        case Deduplicate():
            return Deduplicating(node, below[0], columns_of(node.child))
    left, right = below
    sides = (
        Side(left, list(node.keys), columns_of(node.left)),
        Side(right, list(node.keys.values()), columns_of(node.right)),
    )
    return Pairing(node, sides, mode)


def _check(query: Query) -> None:
    """Output modes and chains (Spark: UnsupportedOperationChecker)."""
    if query.mode not in MODES:
        raise NotModelled(f"the output mode {query.mode!r}; known are {MODES}")
    everything = nodes(query.plan)
    if query.mode == "complete" and not any(isinstance(n, Aggregate) for n in everything):
        raise Refused("complete mode needs an aggregation")
    for node in everything:
        below = [n for child in children(node) for n in nodes(child) if isinstance(n, STATEFUL)]
        lasting: list[Node] = [n for n in below if not isinstance(n, Deduplicate)]
        if isinstance(node, Watermark) and below:
            raise NotModelled("a watermark after a stateful operator")
        if isinstance(node, Deduplicate | Join) and below:
            raise NotModelled("a deduplication or a join after another stateful operator")
        if isinstance(node, Aggregate):
            _check_aggregate(node, lasting, query.mode)


def _check_aggregate(node: Aggregate, below: list[Node], mode: str) -> None:
    if not node.keys:
        raise NotModelled("an aggregation without keys")
    if below and mode != "append":
        raise Refused(f"{mode} mode runs no operator after an aggregation or a join")
    session = any(isinstance(key, SessionWindow) for key in node.keys.values())
    if below and session:
        raise NotModelled("session windows after another stateful operator")
