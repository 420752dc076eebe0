"""From a query to the operators that run it, and what Spark refuses on the way."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from grader.model.arbitrary_state import Applying
from grader.model.deduplication import Deduplicating
from grader.model.expressions import references
from grader.model.grouping import Grouping, Sessions
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
    Key,
    Node,
    Project,
    Query,
    SessionWindow,
    Source,
    TimeWindow,
    Union,
    Watermark,
    WithState,
    children,
    nodes,
)
from grader.model.stream_join import Pairing, Side
from grader.model.timestamps import length
from grader.model.unsupported import NotModelled, Refused

MODES = ("append", "update", "complete")
STATEFUL = {
    Aggregate: "an aggregation",
    Deduplicate: "a deduplication",
    Join: "a join",
    WithState: "a function with state",
}


Kinds = Mapping[type[Operator], type[Operator]]


def built(query: Query, kinds: Kinds | None = None) -> Operator:
    """The operators of a query, some in the place of others; raises Refused and NotModelled."""
    _check(query)
    return _operator(optimized(query.plan), query.mode, kinds or {})


def watching(operators: list[Operator]) -> list[Watching]:
    return [o for o in operators if isinstance(o, Watching)]


def _operator(node: Node, mode: str, kinds: Kinds) -> Operator:
    def kind(own: Any) -> Any:
        return kinds.get(own, own)

    below = [_operator(child, mode, kinds) for child in children(node)]
    match node:
        case Source():
            return Reading(node)
        case Filter():
            return Filtering(node, *below)
        case Project():
            return Projecting(node, *below)
        case Watermark():
            return kind(Watching)(node, *below)
        case Union():
            return Uniting(*below)
        case Aggregate() if any(isinstance(key, SessionWindow) for key in node.keys.values()):
            return kind(Sessions)(node, below[0], mode)
        case Aggregate():
            return kind(Grouping)(node, below[0], mode)
        case Deduplicate():
            return kind(Deduplicating)(node, below[0], columns_of(node.child))
        case WithState():
            return kind(Applying)(node, below[0], mode)
    left, right = below
    sides = (
        Side(left, list(node.keys), columns_of(node.left)),
        Side(right, list(node.keys.values()), columns_of(node.right)),
    )
    return kind(Pairing)(node, sides, mode)


def _check(query: Query) -> None:
    """Output modes and chains (Spark: UnsupportedOperationChecker)."""
    if query.mode not in MODES:
        raise NotModelled(f"the output mode {query.mode!r}; known are {MODES}")
    everything = nodes(query.plan)
    if query.mode == "complete" and not any(isinstance(n, Aggregate) for n in everything):
        raise Refused("complete mode needs an aggregation")
    for node in everything:
        _check_columns(node)
        below = [n for child in children(node) for n in nodes(child) if type(n) in STATEFUL]
        lasting: list[Node] = [n for n in below if not isinstance(n, Deduplicate)]
        if isinstance(node, Watermark) and below:
            raise NotModelled("a watermark after a stateful operator")
        if isinstance(node, Watermark) and any(isinstance(n, Watermark) for n in nodes(node.child)):
            raise Refused("a second watermark behind a first one")
        if isinstance(node, Deduplicate | Join | WithState) and below:
            raise NotModelled(f"{STATEFUL[type(node)]} after another stateful operator")
        if any(isinstance(n, WithState) for n in below):
            raise NotModelled("a stateful operator after a function with state")
        if isinstance(node, Aggregate):
            _check_aggregate(node, lasting, query.mode)


def _check_columns(node: Node) -> None:
    """Each column that a node reads is there, and a window has a length."""
    known = {name for child in children(node) for name in columns_of(child)}
    for key in node.keys.values() if isinstance(node, Aggregate) else ():
        if isinstance(key, TimeWindow):
            _check_window(key)
    read = columns_read(node)
    if not read <= known and not isinstance(node, Source | Union):
        if {name.lower() for name in read} <= {name.lower() for name in known}:
            raise NotModelled("a column's name in other letters than the schema has")
        raise Refused(f"there is no column {', '.join(sorted(read - known))}")


def columns_read(node: Node) -> set[str]:
    """The columns below a node that it reads itself; a source and a union read none."""
    match node:
        case Filter(_, condition):
            return references(condition)
        case Project(_, columns):
            return set().union(*map(references, columns.values()))
        case Watermark(_, column):
            return {column}
        case Deduplicate(_, names) | WithState(keys=names):
            return set(names)
        case Join(_, _, _, keys, within, only):
            times = {within.left_time, within.right_time} if within else set()
            return {*keys, *keys.values(), *times, *(references(only) if only else ())}
        case Aggregate(_, keys, results):
            read = set().union(*map(_read_by, keys.values()))
            return read | {name for f in results.values() if f.of for name in references(f.of)}
    return set()


def _read_by(key: Key) -> set[str]:
    match key:
        case SessionWindow(time, gap):
            return {time} | (set() if isinstance(gap, str) else references(gap))
        case TimeWindow(time):
            return {time}
    return references(key)


def _check_window(window: TimeWindow) -> None:
    """Spark: TimeWindow.checkInputDataTypes."""
    duration = length(window.duration)
    slide = length(window.slide) if window.slide else duration
    if not timedelta() < slide <= duration or abs(length(window.start)) >= slide:
        raise Refused(f"a window of {window.duration}, every {slide}, from {window.start} on")


def _check_aggregate(node: Aggregate, below: list[Node], mode: str) -> None:
    if not node.keys:
        raise NotModelled("an aggregation without keys")
    if below and mode != "append":
        raise Refused(f"{mode} mode runs no operator after an aggregation or a join")
    session = any(isinstance(key, SessionWindow) for key in node.keys.values())
    if below and session:
        raise NotModelled("session windows after another stateful operator")
