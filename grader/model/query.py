"""A streaming query as data: what the model plays, and what can be translated for Spark."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from grader.model.expressions import Expression


@dataclass(frozen=True)
class Source:
    """The JSON in a topic's values as columns: name → string, int, bigint, double, boolean or timestamp."""

    input: str
    columns: dict[str, str]

    @property
    def schema(self) -> str:
        """The columns as DDL."""
        return ddl(self.columns)


def ddl(columns: Mapping[str, str]) -> str:
    return ", ".join(f"{name} {type.upper()}" for name, type in columns.items())


@dataclass(frozen=True)
class Filter:
    """`where(condition)`.

    A filter of the optimizer may be tested only in some batches: those without new rows of the inputs
    `idle`.
    """

    child: Node
    condition: Expression
    idle: tuple[str, ...] = ()


@dataclass(frozen=True)
class Project:
    """Columns by name; those not named are gone (Spark: `select`)."""

    child: Node
    columns: dict[str, Expression]


@dataclass(frozen=True)
class Watermark:
    """`withWatermark(column, delay)`."""

    child: Node
    column: str
    delay: str


@dataclass(frozen=True)
class Union:
    """`unionByName`: both sides have the same columns."""

    left: Node
    right: Node


@dataclass(frozen=True)
class TimeWindow:
    """`window(time, duration, slide, start)`; `time` may be a window of an aggregation before."""

    time: str
    duration: str
    slide: str | None = None
    start: str = "0 seconds"


@dataclass(frozen=True)
class SessionWindow:
    """`session_window(time, gap)`; the gap may be an expression that gives a length as text."""

    time: str
    gap: str | Expression


Key = Expression | TimeWindow | SessionWindow


@dataclass(frozen=True)
class Fold:
    """An aggregate function by a name in FOLDS, of an expression or (count) of rows."""

    function: str
    of: Expression | None = None


@dataclass(frozen=True)
class Aggregate:
    """`groupBy(keys).agg(results)`.

    `only` are conditions on the keys that Spark tests before it groups (see optimizer.py).
    """

    child: Node
    keys: dict[str, Key]
    results: dict[str, Fold]
    only: tuple[Expression, ...] = ()


@dataclass(frozen=True)
class Deduplicate:
    """`dropDuplicates(columns)`, or `dropDuplicatesWithinWatermark`; no columns are all of them."""

    child: Node
    columns: tuple[str, ...] = ()
    within_watermark: bool = False


@dataclass(frozen=True)
class Interval:
    """The right side's time is between the left side's plus `lower` and plus `upper`.

    A bound that is None is absent; `<=` holds at an inclusive bound, `<` at another.
    """

    left_time: str
    right_time: str
    lower: str | None = None
    upper: str | None = None
    lower_inclusive: bool = True
    upper_inclusive: bool = True


@dataclass(frozen=True)
class Join:
    """A stream-stream join: `kind` is inner, left or right (outer); `keys` left → right column.

    `only` is one more condition on the pairs of an inner join. Spark does not solve it for one of the two times,
    so it limits no state; a difference of two timestamps is such a condition.
    """

    left: Node
    right: Node
    kind: str
    keys: dict[str, str]
    within: Interval | None = None
    only: Expression | None = None


@dataclass(frozen=True)
class WithState:
    """`groupBy(keys).applyInPandasWithState(function, columns, kept, mode, timeout)`.

    The call `function(key, rows, state)` returns the rows to emit, as dicts of `columns`. The function
    keeps nothing outside `state`: called again with the same arguments, it does the same.

    - `key`: the tuple of the group's keys
    - `rows`: its rows in the batch, as dicts in the order in which they came; none when the group times out
    - `state`: a GroupState (arbitrary_state.py) whose value is a tuple of the columns `kept`
    - `columns` and `kept`: name → type
    - `timeout`: a name in TIMEOUTS
    """

    child: Node
    keys: tuple[str, ...]
    function: Callable[[tuple[Any, ...], list[dict[str, Any]], Any], Iterable[dict[str, Any]]]
    columns: dict[str, str]
    kept: dict[str, str]
    mode: str = "append"
    timeout: str = "NoTimeout"


Node = Source | Filter | Project | Watermark | Union | Aggregate | Deduplicate | Join | WithState


@dataclass(frozen=True)
class Query:
    """A plan, its output mode, and which of several watermarks counts: a name in POLICIES."""

    plan: Node
    mode: str = "append"
    policy: str = "min"


def children(node: Node) -> list[Node]:
    match node:
        case Source():
            return []
        case Union(left, right) | Join(left, right):
            return [left, right]
    return [node.child]


def nodes(node: Node) -> list[Node]:
    """A node and all below it, the uppermost first: Spark lists stateful operators so."""
    return [node, *(below for child in children(node) for below in nodes(child))]


def watermarks(plan: Node) -> list[Watermark]:
    """Every `withWatermark` of a plan."""
    return [node for node in nodes(plan) if isinstance(node, Watermark)]


def changed(node: Node, change: Callable[[Node], Node]) -> Node:
    """A plan with each of its nodes changed, from the sources upwards, the left side first."""
    match node:
        case Union(left, right) | Join(left, right):
            return change(replace(node, left=changed(left, change), right=changed(right, change)))
        case (
            Filter(child)
            | Project(child)
            | Watermark(child)
            | Aggregate(child)
            | Deduplicate(child)
            | WithState(child)
        ):
            return change(replace(node, child=changed(child, change)))
    return change(node)
