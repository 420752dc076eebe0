"""Groupings: what `groupBy` gives, and the aggregations of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from grader.model.expressions import Column as ModelColumn
from grader.model.expressions import Expression
from grader.model.operator_chain import columns_read
from grader.model.query import (
    Aggregate,
    Deduplicate,
    Fold,
    Key,
    Node,
    Project,
    SessionWindow,
    TimeWindow,
    Watermark,
    nodes,
)
from grader.model.timestamps import MICROSECOND, length
from grader.page.lab_only import OnlyTheLab
from grader.page.pyspark_stand_in import functions as spark_functions
from grader.page.pyspark_stand_in import typed_value as tv
from grader.page.pyspark_stand_in.column import (
    Column,
    column_of_field,
    given_name,
    named_column,
    resolved,
)
from grader.page.pyspark_stand_in.data_frame import DataFrame
from grader.page.pyspark_stand_in.raised_errors import window_slides_too_far
from grader.page.pyspark_stand_in.scope import Field, KeyScope, ResultScope, new_key
from grader.page.pyspark_stand_in.typed_value import Typed


@dataclass(frozen=True, eq=False)
class GroupedData:
    """A grouping by keys (pyspark.sql.GroupedData)."""

    _frame: DataFrame
    _node: Node
    _keys: tuple[Field, ...]
    _values: tuple[Typed, ...]

    def agg(self, *exprs: Any) -> DataFrame:
        if len(exprs) == 1 and isinstance(exprs[0], dict):
            functions = {"count", "sum", "avg", "mean", "min", "max"}
            if not set(exprs[0].values()) <= functions:
                raise OnlyTheLab("agg by a dict of other functions")
            exprs = tuple(getattr(spark_functions, f)(name) for name, f in exprs[0].items())
        if not exprs or not all(isinstance(column, Column) for column in exprs):
            raise OnlyTheLab("agg of something that is no column")
        return self.returning([*map(column_of_field, self._keys), *exprs])

    def returning(self, columns: Sequence[Column], having: Column | None = None) -> DataFrame:
        """The aggregation that returns these columns, of those groups for which `having` is true."""
        scope = ResultScope(self._frame._fields, self._keys, self._values)
        values = [resolved(column, scope) for column in columns]
        condition = None if having is None else tv.need(resolved(having, scope), "boolean").of
        names = [given_name(c) or v.name for c, v in zip(columns, values, strict=True)]
        if not all(names) or len({n.lower() for n in names}) < len(names):
            raise OnlyTheLab("a column whose name Spark makes up, or two of one name")
        if any("." in name or "`" in name for name in names):
            raise OnlyTheLab("a column's name with a dot")
        node, keys = self._aggregated(scope.folds)
        frame = self._after(node, keys, scope.folds)
        if condition is not None:
            frame = frame._kept(condition)
        return _renamed(frame, names, values, keys)

    def _aggregated(self, folds: dict[str, Fold]) -> tuple[Aggregate, dict[str, Key]]:
        keys: dict[str, Key] = {
            f.column: v.of for f, v in zip(self._keys, self._values, strict=True)
        }
        node = Aggregate(self._node, keys, dict(folds))
        _demand_time_below(node)
        for key in keys.values():
            if isinstance(key, TimeWindow):
                _demand_slide(key)
        return node, keys

    def _after(self, node: Aggregate, keys: dict[str, Key], folds: dict[str, Fold]) -> DataFrame:
        carries = [self._carries_time(value) for value in self._values]
        facts = self._frame._facts
        nearest = tuple(sorted(facts.nearest)) if any(carries) else ()
        facts = replace(
            facts,
            followed=(nearest, *facts.followed),
            aggregations=facts.aggregations + 1,
            endless=facts.endless + (not any(carries)),
        )
        windows = [value.of for value in self._values]
        if self._frame._shuffled and any(isinstance(w, SessionWindow) for w in windows):
            raise OnlyTheLab("a session window after repartition")
        hidden = tuple(Field(n, "", new_key(), n) for n in folds)
        timed = frozenset(f.key for f, c in zip(self._keys, carries, strict=True) if c)
        return DataFrame(self._frame._session, node, (*self._keys, *hidden), timed, facts)

    def _carries_time(self, value: Typed) -> bool:
        of = value.of
        if isinstance(of, TimeWindow | SessionWindow):
            of = ModelColumn(of.time)
        return self._frame._carries_time(Typed(of, value.type))

    def count(self) -> DataFrame:
        return self.agg(spark_functions.count("*").alias("count"))

    def _each(self, function: str, cols: tuple[str, ...]) -> DataFrame:
        if not cols:
            raise OnlyTheLab(f"{function} of all numeric columns")
        return self.agg(*(getattr(spark_functions, function)(name) for name in cols))

    def sum(self, *cols: str) -> DataFrame:
        return self._each("sum", cols)

    def avg(self, *cols: str) -> DataFrame:
        return self._each("avg", cols)

    mean = avg

    def min(self, *cols: str) -> DataFrame:
        return self._each("min", cols)

    def max(self, *cols: str) -> DataFrame:
        return self._each("max", cols)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        raise OnlyTheLab(f"GroupedData.{name}")


def grouped(frame: DataFrame, cols: Sequence[Any]) -> GroupedData:
    """The grouping of a frame by columns and names."""
    given = list(cols[0]) if len(cols) == 1 and isinstance(cols[0], list | tuple) else list(cols)
    columns = [named_column(c) if isinstance(c, str) else c for c in given]
    if not columns or not all(isinstance(c, Column) for c in columns):
        raise OnlyTheLab("a grouping without keys, or by something that is no column")
    scope = KeyScope(frame._fields)
    values = [resolved(column, scope) for column in columns]
    keys = [_key(frame, c, v) for c, v in zip(columns, values, strict=True)]
    if len({key.name.lower() for key in keys}) < len(keys):
        raise OnlyTheLab("two keys of one name")
    if sum(isinstance(v.of, TimeWindow | SessionWindow) for v in values) > 1:
        raise OnlyTheLab("two windows in one grouping")
    node = frame._node
    if scope.computed:
        kept: dict[str, Expression] = {f.column: f.typed.of for f in frame._fields}
        node = Project(node, {**kept, **scope.computed})
    return GroupedData(frame, node, tuple(keys), tuple(values))


def _key(frame: DataFrame, column: Column, value: Typed) -> Field:
    if value.type in ("interval", "void") or value.constant:
        raise OnlyTheLab("a key that is a literal")
    if isinstance(value.of, TimeWindow | SessionWindow):
        name = given_name(column) or value.name
        return Field(name, "window", new_key(), name, origin=name)
    field = frame._field(value, given_name(column))
    return replace(field, column=field.name)


def _demand_slide(window: TimeWindow) -> None:
    """Refuse what Spark refuses as soon as it sees the aggregation."""
    texts = (window.duration, window.slide or window.duration, window.start)
    duration, slide, start = (length(text) // MICROSECOND for text in texts)
    if slide > duration > 0:
        raise window_slides_too_far(window.time, duration, slide, start)


def _demand_time_below(node: Aggregate) -> None:
    """Refuse what the model would play in another way than Spark, which leaves out columns that no operator reads.

    Without its event time, a deduplication drops no late rows.
    """
    read = columns_read(node)
    for below in nodes(node.child):
        if isinstance(below, Deduplicate) and not below.within_watermark:
            times = {n.column for n in nodes(below.child) if isinstance(n, Watermark)}
            if times and not times <= read | set(below.columns):
                raise OnlyTheLab("a deduplication whose event time no operator reads")


def _renamed(
    frame: DataFrame, names: Sequence[str], values: Sequence[Typed], keys: dict[str, Key]
) -> DataFrame:
    """The groups with the columns that the learner wants; without a projection if that is all the same."""
    node, made = frame._node, dict(zip(names, (v.of for v in values), strict=True))
    fields = []
    for name, value in zip(names, values, strict=True):
        same = [f for f in frame._fields if f.column == tv.column_name(value) and f.name == name]
        kept = bool(same and same[0].type)  # the result of an aggregate function has none yet
        fields.append(same[0] if kept else Field(name, value.type, new_key(), name, origin=name))
    timed = frozenset(f.key for f, v in zip(fields, values, strict=True) if frame._carries_time(v))
    plain = [tv.column_name(value) for value in values]
    if isinstance(node, Aggregate) and plain == [*keys, *node.results]:
        pairs = zip(names[len(keys) :], node.results.values(), strict=True)
        renamed = zip(names, keys.values(), strict=False)
        node = Aggregate(node.child, dict(renamed), dict(pairs))
    else:
        node = Project(node, made)
    return DataFrame(frame._session, node, tuple(fields), timed, frame._facts)
