"""An answer in PySpark read as a query of the model: its function is called on frames that only note.

What it does not know raises Unread: such an answer is left out, never guessed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import ModuleType, SimpleNamespace
from typing import Any

from grader.model.expressions import Call, Column, Constant, Expression, call, evaluate, references
from grader.model.optimizer import columns_of
from grader.model.query import (
    Aggregate,
    Deduplicate,
    Filter,
    Fold,
    Interval,
    Join,
    Node,
    Project,
    Query,
    SessionWindow,
    Source,
    TimeWindow,
    Union,
    Watermark,
)
from grader.runtime.setting_names import WATERMARK_POLICY
from grader.scenario import Exercise

_SPARKS = "pyspark.sql.functions"


class Unread(Exception):
    """A part of Spark's interface that this does not read."""


def query_of(function: Callable[..., Any], exercise: Exercise) -> Query:
    """The query that an answer to an exercise builds; raises Unread.

    It needs neither Spark nor Java. The function runs, with frames that note each call; anything else
    that it does is done.
    """
    settings = {WATERMARK_POLICY: "min"}
    session = SimpleNamespace(conf=SimpleNamespace(set=settings.__setitem__))
    try:
        inputs = [session if n == "spark" else _input(exercise, n) for n in exercise.takes]
        with _noting(getattr(function, "__globals__", {})):
            frame = function(*inputs)
    except Exception as error:
        raise Unread(str(error)) from error
    if not isinstance(frame, Frame) or set(settings) != {WATERMARK_POLICY}:
        raise Unread("it returns no query, or changes settings")
    return Query(frame.node, exercise.output_mode, settings[WATERMARK_POLICY])


@contextmanager
def _noting(names: dict[str, Any]) -> Iterator[None]:
    """For a while, a program's names for Spark's functions mean functions that only note."""
    spark = {name: noted for name, value in names.items() if (noted := _noted(value)) is not None}
    before = {name: names[name] for name in spark}
    names |= spark
    try:
        yield
    finally:
        names |= before


def _noted(value: Any) -> Any:
    if isinstance(value, ModuleType):
        return FUNCTIONS if value.__name__ == _SPARKS else None
    if not callable(value) or not str(getattr(value, "__module__", "")).startswith(_SPARKS):
        return None
    return getattr(FUNCTIONS, value.__name__, _unknown)


def _unknown(*_: Any, **__: Any) -> Any:
    raise Unread("a function of Spark that is not read")


def _input(exercise: Exercise, name: str) -> Frame:
    if name not in exercise.inputs:
        raise Unread(f"the argument {name}")
    parts = exercise.inputs[name].schema.lower().split(", ")
    return Frame(Source(name, dict(part.split(" ") for part in parts)))  # type: ignore[misc]


@dataclass(frozen=True, eq=False)
class Noted:
    """A column, or an argument of groupBy or agg, and its name if it has one."""

    of: Any
    name: str = ""

    def alias(self, name: str) -> Noted:
        return Noted(self.of, name)

    def cast(self, type: str) -> Noted:
        named = {"double": "double", "long": "long", "bigint": "long"}
        if type not in named:
            raise Unread(f"cast to {type}")
        return Noted(call(named[type], self.of))

    def isNull(self) -> Noted:  # noqa: N802 (Spark's own names)
        return Noted(call("is_null", self.of))

    def isNotNull(self) -> Noted:  # noqa: N802
        return Noted(call("is_not_null", self.of))

    def startswith(self, text: Any) -> Noted:
        return Noted(call("starts_with", self.of, _of(text)))

    def when(self, condition: Noted, value: Any) -> Noted:
        return Noted(Call("case", (*self.of.arguments, condition.of, _expression(value))))

    def otherwise(self, value: Any) -> Noted:
        return Noted(Call("case", (*self.of.arguments, _expression(value))))

    def __bool__(self) -> bool:
        raise Unread("a column is not a boolean")

    def __invert__(self) -> Noted:
        return Noted(call("not", self.of))


def _operator(name: str) -> Callable[[Noted, Any], Noted]:
    return lambda self, other: Noted(_on_fold(name, self.of, _of(other)))


def _on_fold(name: str, one: Any, other: Any) -> Any:
    if isinstance(one, Fold) or isinstance(other, Fold):
        raise Unread("arithmetic on an aggregate")
    return call(name, one, other)


for _method, _name in {
    "__eq__": "=", "__ne__": "!=", "__lt__": "<", "__le__": "<=", "__gt__": ">", "__ge__": ">=",
    "__add__": "+", "__sub__": "-", "__mul__": "*", "__truediv__": "/", "__and__": "and", "__or__": "or",
}.items():  # fmt: skip
    setattr(Noted, _method, _operator(_name))


def _of(given: Any) -> Any:
    return given.of if isinstance(given, Noted) else given


def _expression(given: Any) -> Expression:
    of = _of(given)
    return of if isinstance(of, Column | Constant | Call) else Constant(of)


def _column(given: Any) -> Noted:
    """What a groupBy or a select is given: a name or a column."""
    if isinstance(given, str):
        return Noted(Column(given), given.split(".")[-1])
    of = given.of
    name = given.name or (of.name.split(".")[-1] if isinstance(of, Column) else "")
    if not name:
        raise Unread(f"a column without a name: {of}")
    return Noted(of, name)


class Frame:
    """A DataFrame with only its plan."""

    def __init__(self, node: Node):
        self.node = node

    def withWatermark(self, column: str, delay: str) -> Frame:  # noqa: N802
        return Frame(Watermark(self.node, column, delay))

    def where(self, condition: Any) -> Frame:
        parsed = _comparisons(condition) if isinstance(condition, str) else [condition.of]
        return Frame(Filter(self.node, call("and", *parsed)))

    filter = where

    def select(self, *columns: Any) -> Frame:
        found = [_column(column) for column in columns]
        if any(isinstance(c.of, TimeWindow | SessionWindow | Fold) for c in found):
            raise Unread("a window in a select")
        if len({c.name for c in found}) < len(found) or "*" in {c.name for c in found}:
            raise Unread("a column twice")
        return Frame(Project(self.node, {c.name: c.of for c in found}))

    def withColumn(self, name: str, column: Noted) -> Frame:  # noqa: N802
        return self.select(*[c for c in columns_of(self.node) if c != name], column.alias(name))

    def drop(self, *names: str) -> Frame:
        return self.select(*[c for c in columns_of(self.node) if c not in names])

    def dropDuplicates(self, columns: Any = None) -> Frame:  # noqa: N802
        return Frame(Deduplicate(self.node, _names(columns)))

    def dropDuplicatesWithinWatermark(self, columns: Any = None) -> Frame:  # noqa: N802
        return Frame(Deduplicate(self.node, _names(columns), True))

    def unionByName(self, other: Frame) -> Frame:  # noqa: N802
        return Frame(Union(self.node, other.node))

    def groupBy(self, *keys: Any) -> Groups:  # noqa: N802
        return Groups(self.node, [_column(key) for key in keys])

    def join(self, other: Frame, condition: Noted, how: str = "inner") -> Frame:
        kinds = {"inner": "inner", "left": "left", "leftOuter": "left", "right": "right"}
        kinds |= {"left_outer": "left", "rightOuter": "right", "right_outer": "right"}
        if how not in kinds or not isinstance(condition.of, list):
            raise Unread(f"a {how} join")
        left, right = set(columns_of(self.node)), set(columns_of(other.node))
        keys, within = _limits(condition.of, left, right)
        return Frame(Join(self.node, other.node, kinds[how], keys, within))


def _names(columns: list[str] | None) -> tuple[str, ...]:
    if columns == []:
        raise Unread("a deduplication by no column")
    return tuple(columns or ())


@dataclass
class Groups:
    node: Node
    keys: list[Noted]

    def agg(self, *results: Noted) -> Frame:
        if not all(isinstance(r.of, Fold) and r.name for r in results):
            raise Unread("an aggregate in arithmetic, or without a name")
        keys = {key.name: key.of for key in self.keys}
        if len(keys) < len(self.keys):
            raise Unread("a key twice")
        return Frame(Aggregate(self.node, keys, {r.name: r.of for r in results}))

    def count(self) -> Frame:
        return self.agg(Noted(Fold("count"), "count"))


def _comparisons(sql: str) -> list[Expression]:
    """Comparisons joined by AND, of columns and literals, with INTERVAL n UNIT added."""
    found: list[Expression] = []
    for part in re.split(r"\s+AND\s+", " ".join(sql.split()), flags=re.I):
        sides = re.fullmatch(r"(.+?)\s*(>=|<=|=|<|>)\s*(.+)", part.strip())
        if sides is None:
            raise Unread(part)
        found.append(Call(sides[2], (_term(sides[1]), _term(sides[3]))))
    return found


def _term(sql: str) -> Expression:
    moved = re.fullmatch(r"(\w+) ([+-]) INTERVAL '?(\d+) (\w+)'?", sql.strip(), re.I)
    if moved:
        sign = "-" if moved[2] == "-" else ""
        return Call("+", (Column(moved[1]), Constant(f"{sign}{moved[3]} {moved[4].lower()}")))
    if re.fullmatch(r"\d+", sql.strip()):
        return Constant(int(sql))
    if re.fullmatch(r"'[^']*'", sql.strip()):
        return Constant(sql.strip()[1:-1])
    if not re.fullmatch(r"(?!(true|false|null)$)[a-z_]\w*", sql.strip()):
        raise Unread(sql)
    return Column(sql.strip())


def _limits(
    comparisons: list[Any], left: set[str], right: set[str]
) -> tuple[dict[str, str], Interval | None]:
    """A join's keys and interval; the right time is alone before each sign."""
    keys: dict[str, str] = {}
    limits: dict[str, Any] = {}
    times = set()
    for comparison in comparisons:
        one, other = comparison.arguments
        if comparison.function == "=" and isinstance(one, Column) and isinstance(other, Column):
            mine, theirs = (one, other) if one.name in left else (other, one)
            if mine.name not in left or theirs.name not in right:
                raise Unread(f"a condition on one side of a join: {comparison}")
            keys[mine.name] = theirs.name
            continue
        plain = isinstance(one, Column) and one.name in right and references(other) <= left
        if not plain or comparison.function == "=" or not references(other):
            raise Unread(f"the condition {comparison}")
        bound = "0 seconds" if isinstance(other, Column) else evaluate(other.arguments[1], {})
        times.add((*references(other), one.name))
        name = "lower" if comparison.function[0] == ">" else "upper"
        if name in limits:
            raise Unread("a bound twice")
        limits |= {name: bound, f"{name}_inclusive": "=" in comparison.function}
    if len(times) > 1:
        raise Unread("an interval of more than two times")
    return keys, Interval(*times.pop(), **limits) if times else None


def _window(
    timeColumn: Any,  # noqa: N803
    windowDuration: str,  # noqa: N803
    slideDuration: str | None = None,  # noqa: N803
    startTime: str | None = None,  # noqa: N803
) -> Noted:
    lengths = (windowDuration, slideDuration, startTime)
    if not all(isinstance(text, str | None) for text in lengths):
        raise Unread("a window of computed length")
    start = startTime or "0 seconds"
    return Noted(TimeWindow(_name_of(timeColumn), windowDuration, slideDuration, start), "window")


def _session(timeColumn: Any, gapDuration: Any) -> Noted:  # noqa: N803
    gap = gapDuration if isinstance(gapDuration, str) else gapDuration.of
    return Noted(SessionWindow(_name_of(timeColumn), gap), "session_window")


def _name_of(column: Any) -> str:
    of = _column(column).of
    if not isinstance(of, Column) or "." in of.name:
        raise Unread(f"a window over {of}")
    return of.name


def _fold(name: str) -> Callable[[Any], Noted]:
    def noted(column: Any) -> Noted:
        constant = isinstance(column, Noted) and isinstance(column.of, Constant)
        if name == "count" and (constant or (isinstance(column, str) and column == "*")):
            return Noted(Fold(name))
        return Noted(Fold(name, _column_of(column)))

    return noted


def _column_of(given: Any) -> Expression:
    return Column(given) if isinstance(given, str) else _expression(given)


def _function(name: str) -> Callable[..., Noted]:
    return lambda *arguments: Noted(call(name, *map(_column_of, arguments)))


FUNCTIONS = SimpleNamespace(
    col=lambda name: Noted(Column(name)),
    lit=lambda value: Noted(Constant(value)),
    expr=lambda sql: Noted(_comparisons(sql)),
    window=_window,
    session_window=_session,
    when=lambda condition, value: Noted(Call("case", (condition.of, _expression(value)))),
    date_trunc=lambda unit, time: Noted(call("date_trunc", unit, _column_of(time))),
    **{name: _fold(name) for name in ("count", "sum", "min", "max", "avg")},
    **{
        name: _function(name)
        for name in ("timestamp_seconds", "timestamp_millis", "window_time", "coalesce")
    },
)
