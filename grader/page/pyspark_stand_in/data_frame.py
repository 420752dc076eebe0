"""Streaming DataFrames that only record: each call gives another plan of the model."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from grader.model.expressions import Column as ModelColumn
from grader.model.expressions import Expression, call, references
from grader.model.operators import passed_on
from grader.model.optimizer import columns_of
from grader.model.query import Deduplicate, Filter, Node, Project, Source, Union, Watermark
from grader.page.lab_only import OnlyTheLab, modelled
from grader.page.pyspark_stand_in import typed_value as tv
from grader.page.pyspark_stand_in.column import (
    Column,
    Star,
    call_of,
    column_of,
    column_of_field,
    given_name,
    named_column,
    resolved,
)
from grader.page.pyspark_stand_in.raised_errors import streaming_action, unresolved_column
from grader.page.pyspark_stand_in.scope import Field, Scope, lengths_known, new_key
from grader.page.pyspark_stand_in.sql_expression import expression_of
from grader.page.pyspark_stand_in.typed_value import Typed

if TYPE_CHECKING:
    from grader.page.pyspark_stand_in.grouped_data import GroupedData
    from grader.page.pyspark_stand_in.session import SparkSession


@dataclass(frozen=True)
class Facts:
    """What a recording's plan says of a query.

    - `watermarks`: the columns with a watermark
    - `followed`: for each stateful operator, the uppermost first, the columns whose watermark it follows
    - `nearest`: the columns of the watermarks that the next operator would follow
    - `joins` and `bounded_joins`: their number, and of those whose condition limits the time
    - `aggregations` and `endless`: their number, and of those without event time among their keys
    """

    watermarks: frozenset[str] = frozenset()
    followed: tuple[tuple[str, ...], ...] = ()
    nearest: frozenset[str] = frozenset()
    joins: int = 0
    bounded_joins: int = 0
    aggregations: int = 0
    endless: int = 0

    def beside(self, other: Facts) -> Facts:
        """The facts of two inputs of one operator."""
        return Facts(
            self.watermarks | other.watermarks,
            (*self.followed, *other.followed),
            self.nearest | other.nearest,
            self.joins + other.joins,
            self.bounded_joins + other.bounded_joins,
            self.aggregations + other.aggregations,
            self.endless + other.endless,
        )

    def stateful(self) -> Facts:
        """With one more operator that follows the nearest watermarks."""
        return replace(self, followed=(tuple(sorted(self.nearest)), *self.followed))


@dataclass(frozen=True, eq=False)
class DataFrame:
    """A streaming DataFrame (pyspark.sql.DataFrame).

    - `_node`: its plan; `_fields`: its columns
    - `_timed`: the keys of the columns that carry a watermark
    - `_shuffled`: the order of its rows is not known
    """

    _session: SparkSession = field(repr=False)
    _node: Node
    _fields: tuple[Field, ...]
    _timed: frozenset[int] = frozenset()
    _facts: Facts = Facts()
    _shuffled: bool = False

    isStreaming = True

    def __post_init__(self) -> None:
        names = set(self.columns)
        if len({name.lower() for name in names}) < len(
            names
        ):  # for Spark, either name is that of both
            raise OnlyTheLab("two columns whose names differ in upper and lower case alone")

    @property
    def sparkSession(self) -> SparkSession:
        return self._session

    @property
    def columns(self) -> list[str]:
        return [f.name for f in self._fields]

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        if name in self.columns:
            return self[name]
        raise OnlyTheLab(f"DataFrame.{name}")

    def __getitem__(self, item: Any) -> Any:
        if isinstance(item, Column):
            return self.filter(item)
        if isinstance(item, list | tuple):
            return self.select(*item)
        if not isinstance(item, str):
            raise OnlyTheLab(f"a DataFrame at {item!r}")
        return self._column(item)

    def _column(self, name: str) -> Column:
        """A column of this very frame: its lineage goes along."""
        if name == "*":
            return Star()
        found = [f for f in self._fields if f.name == name]
        if not found and name.lower() not in {f.name.lower() for f in self._fields}:
            if "." in name or "`" in name:
                raise OnlyTheLab(f"the column {name!r} of a DataFrame")
            raise unresolved_column(name, self.columns)
        if len(found) != 1:
            raise OnlyTheLab(f"the column name {name!r}")
        return column_of_field(found[0])

    def withWatermark(self, eventTime: str, delayThreshold: str) -> DataFrame:
        if not isinstance(eventTime, str) or not isinstance(delayThreshold, str):
            raise OnlyTheLab("a watermark on a column or of a length that is no string")
        found = [f for f in self._fields if f.name == eventTime]
        if not found:
            Scope(self._fields).named(eventTime)  # raises what Spark says
        if len(found) != 1 or found[0].type != "timestamp":
            raise OnlyTheLab("a watermark on a column that is no timestamp")
        lengths_known(delayThreshold)
        timed = replace(found[0], key=new_key())
        return replace(
            self,
            _node=Watermark(self._node, timed.column, delayThreshold),
            _fields=tuple(timed if f is found[0] else f for f in self._fields),
            _timed=self._timed | {timed.key},
            _facts=replace(
                self._facts,
                watermarks=self._facts.watermarks | {timed.name},
                nearest=frozenset({timed.origin or timed.name}),
            ),
        )

    def filter(self, condition: Any) -> DataFrame:
        if isinstance(condition, str):
            condition = expression_of(condition)
        if not isinstance(condition, Column):
            raise OnlyTheLab(f"a condition that is a {tv.type_name(condition)}")
        value = resolved(condition, Scope(self._fields))
        if value.type != "boolean":
            raise OnlyTheLab(f"a condition of type {value.type}")
        return self._kept(value.of)

    def where(self, condition: Any) -> DataFrame:
        return self.filter(condition)

    def _kept(self, condition: Expression) -> DataFrame:
        from grader.page.pyspark_stand_in.stream_joins import narrowed

        return replace(self, _node=narrowed(self._node, condition))

    def select(self, *cols: Any) -> DataFrame:
        given = list(cols[0]) if len(cols) == 1 and isinstance(cols[0], list | tuple) else cols
        columns = [named_column(c) if isinstance(c, str) else c for c in given]
        if not columns or not all(isinstance(c, Column) for c in columns):
            raise OnlyTheLab("a select of something that is no column")
        return self._projected([c for column in columns for c in self._expanded(column)])

    def selectExpr(self, *expr: Any) -> DataFrame:
        texts = list(expr[0]) if len(expr) == 1 and isinstance(expr[0], list) else list(expr)
        return self.select(*[expression_of(text) for text in texts])

    def _expanded(self, column: Column) -> list[Column]:
        if not isinstance(column, Star):
            return [column]
        fields = self._fields
        if column.qualifier is not None:
            fields = tuple(f for f in fields if column.qualifier in f.qualifiers)
            if not fields:
                raise OnlyTheLab(f"{column.qualifier}.*")
        return [column_of_field(f) for f in fields]

    def _projected(self, columns: Sequence[Column]) -> DataFrame:
        scope = Scope(self._fields)
        values = [resolved(column, scope) for column in columns]
        node = self._node
        for present in scope.present:
            node = Filter(node, present)
        fields: list[Field] = []
        made: dict[str, Expression] = {}
        for column, value in zip(columns, values, strict=True):
            if value.type in ("interval", "void"):
                raise OnlyTheLab(f"a column of type {value.type}")
            new = self._field(value, given_name(column))
            if new.column in made:
                new = replace(new, column=_unused(new.column, made))
            fields.append(new)
            made[new.column] = value.of
        timed = {
            f.key for f, value in zip(fields, values, strict=True) if self._carries_time(value)
        }
        return replace(
            self, _node=Project(node, made), _fields=tuple(fields), _timed=frozenset(timed)
        )

    def _carries_time(self, value: Typed) -> bool:
        passed = passed_on(value.of)
        return any(f.column == passed and f.key in self._timed for f in self._fields)

    def _field(self, value: Typed, alias: str | None) -> Field:
        """The new column that a value becomes; without another name it stays the same column."""
        name = alias or value.name
        if not name or "." in name or "`" in name:
            raise OnlyTheLab("a column whose name Spark makes up")
        column = tv.column_name(value)
        old = next((f for f in self._fields if f.column == column), None)
        if old is not None and old.name == name and alias is None:
            return old
        read = references(value.of)
        origins = [f.origin or f.name for f in self._fields if f.column in read]
        origin = origins[0] if len(read) == 1 and origins else name
        return Field(name, value.type, new_key(), name, frozenset(), origin)

    def withColumn(self, colName: str, col: Column) -> DataFrame:
        return self.withColumns({colName: col})

    def withColumns(self, *colsMap: dict[str, Column]) -> DataFrame:
        if len(colsMap) != 1 or not all(isinstance(c, Column) for c in colsMap[0].values()):
            raise OnlyTheLab("withColumns of something that is no column")
        new = dict(colsMap[0])
        columns = [
            new[f.name].alias(f.name) if f.name in new else column_of_field(f) for f in self._fields
        ]
        columns += [c.alias(name) for name, c in new.items() if name not in self.columns]
        return self._projected(columns)

    def withColumnRenamed(self, existing: str, new: str) -> DataFrame:
        return self.withColumnsRenamed({existing: new})

    def withColumnsRenamed(self, colsMap: dict[str, str]) -> DataFrame:
        """Names that are not there are passed over, as Spark does."""
        self._demand_letters(colsMap)
        columns = [
            column_of_field(f).alias(colsMap[f.name]) if f.name in colsMap else column_of_field(f)
            for f in self._fields
        ]
        return self._projected(columns)

    def _demand_letters(self, names: Iterable[str]) -> None:
        """Refuse names that differ from a column's in upper and lower case alone: Spark takes them for it."""
        if any(
            f.name != name and f.name.lower() == name.lower()
            for name in names
            for f in self._fields
        ):
            raise OnlyTheLab("a column's name in other letters")

    def toDF(self, *cols: str) -> DataFrame:
        if len(cols) != len(self._fields) or not all(isinstance(c, str) for c in cols):
            raise OnlyTheLab("toDF with other columns than there are")
        pairs = zip(self._fields, cols, strict=True)
        return self._projected([column_of_field(f).alias(name) for f, name in pairs])

    def drop(self, *cols: Any) -> DataFrame:
        keys = set()
        for column in cols:
            if isinstance(column, Column):
                value = resolved(column, Scope(self._fields))
                keys |= {f.key for f in self._fields if f.column == tv.column_name(value)}
            elif isinstance(column, str):
                self._demand_letters([column])
                keys |= {f.key for f in self._fields if f.name == column}
        left = [f for f in self._fields if f.key not in keys]
        if not left:
            raise OnlyTheLab("a DataFrame without columns")
        return self._projected([column_of_field(f) for f in left]) if keys else self

    def alias(self, alias: str) -> DataFrame:
        named = tuple(replace(f, qualifiers=frozenset({alias})) for f in self._fields)
        return replace(self, _fields=named)

    def transform(self, func: Callable[..., DataFrame], *args: Any, **kwargs: Any) -> DataFrame:
        return func(self, *args, **kwargs)

    def dropna(self, how: str = "any", thresh: int | None = None, subset: Any = None) -> DataFrame:
        names = [subset] if isinstance(subset, str) else list(subset or self.columns)
        if how != "any" or thresh is not None or not names:
            raise OnlyTheLab("dropna of another kind")
        timed = {f.name for f in self._fields if f.key in self._timed}
        if len(names) > 1 and timed & set(names):
            raise OnlyTheLab("dropna of the event time and another column")
        columns = [named_column(name).isNotNull() for name in names]
        condition = call_of(lambda *values: tv.both(values), *columns)
        return self.filter(condition)

    def fillna(self, value: Any, subset: Any = None) -> DataFrame:
        names = [subset] if isinstance(subset, str) else list(subset or self.columns)
        values = value if isinstance(value, dict) else dict.fromkeys(names, value)
        if not set(values) <= set(self.columns):
            raise OnlyTheLab("fillna of a column that is not there")
        new = {}
        for f in [f for f in self._fields if f.name in values]:
            if _fills(values[f.name], f.type):
                filled = column_of(values[f.name])
                new[f.name] = call_of(_filled(f.type), column_of_field(f), filled)
            elif isinstance(value, dict):  # Spark casts such a value
                raise OnlyTheLab(f"fillna of {f.name} with a value of another type")
        return self.withColumns(new) if new else self

    @property
    def na(self) -> Any:
        return _NullFunctions(self)

    def dropDuplicates(self, subset: Any = None) -> DataFrame:
        return self._deduplicated(subset, within=False)

    def drop_duplicates(self, subset: Any = None) -> DataFrame:
        return self.dropDuplicates(subset)

    def distinct(self) -> DataFrame:
        return self.dropDuplicates()

    def dropDuplicatesWithinWatermark(self, subset: Any = None) -> DataFrame:
        return self._deduplicated(subset, within=True)

    def _deduplicated(self, subset: Any, *, within: bool) -> DataFrame:
        if subset is not None and (not isinstance(subset, list | tuple) or not subset):
            raise OnlyTheLab("a deduplication by something that is no list of names")
        columns = []
        for name in subset or ():
            if not isinstance(name, str):
                raise OnlyTheLab("a deduplication by something that is no name")
            found = [f for f in self._fields if f.name == name]
            if len(found) != 1:
                Scope(self._fields).named(name)
                raise OnlyTheLab(f"the column name {name!r}")
            columns.append(found[0].column)
        if self._shuffled:
            raise OnlyTheLab("a deduplication after repartition")
        if len(self._timed) > 1:
            raise OnlyTheLab("a deduplication with two columns of event time")
        if not columns and len({f.column for f in self._fields}) < len(plan_columns(self._node)):
            raise OnlyTheLab("a deduplication by all columns after a join")
        node = Deduplicate(self._node, tuple(dict.fromkeys(columns)), within)
        return replace(self, _node=node, _facts=self._facts.stateful())

    def union(self, other: DataFrame) -> DataFrame:
        if not isinstance(other, DataFrame) or len(self._fields) != len(other._fields):
            raise OnlyTheLab("a union of unlike DataFrames")
        return self._united(other, other._fields)

    unionAll = union

    def unionByName(self, other: DataFrame, allowMissingColumns: bool = False) -> DataFrame:
        if not isinstance(other, DataFrame) or allowMissingColumns:
            raise OnlyTheLab("a union of unlike DataFrames")
        by_name = {f.name: f for f in other._fields}
        if not sorted(by_name) == sorted(self.columns) == sorted(other.columns):
            raise OnlyTheLab("a union of unlike DataFrames")
        return self._united(other, tuple(by_name[f.name] for f in self._fields))

    def _united(self, other: DataFrame, theirs: tuple[Field, ...]) -> DataFrame:
        """Columns of both by place; the new columns are those of no frame before."""
        if any(a.type != b.type for a, b in zip(self._fields, theirs, strict=True)):
            raise OnlyTheLab("a union of columns of unlike types")
        names = [f.column for f in self._fields]
        left = Project(self._node, {n: ModelColumn(n) for n in names})
        made = {n: ModelColumn(f.column) for n, f in zip(names, theirs, strict=True)}
        fields = tuple(replace(f, key=new_key(), qualifiers=frozenset()) for f in self._fields)
        old = zip(self._fields, fields, strict=True)
        timed = frozenset(new.key for f, new in old if f.key in self._timed)
        return DataFrame(
            self._session,
            Union(left, Project(other._node, made)),  # type: ignore[arg-type]
            fields,
            timed,
            self._facts.beside(other._facts),
            self._shuffled or other._shuffled,
        )

    def join(self, other: DataFrame, on: Any = None, how: str | None = None) -> DataFrame:
        from grader.page.pyspark_stand_in.stream_joins import joined

        return joined(self, other, on, how or "inner")

    def repartition(self, numPartitions: Any, *cols: Any) -> DataFrame:
        """It changes no row; but which of two rows comes first is not known any more."""
        return replace(self, _shuffled=True)

    def groupBy(self, *cols: Any) -> GroupedData:
        from grader.page.pyspark_stand_in.grouped_data import grouped

        return grouped(self, cols)

    groupby = groupBy

    def createOrReplaceTempView(self, name: str) -> None:
        self._session.views[name.lower()] = self

    createTempView = createOrReplaceTempView

    def count(self) -> int:
        raise streaming_action()

    def show(self, *_args: Any, **_kwargs: Any) -> None:
        raise streaming_action()

    def collect(self) -> list[Any]:
        raise streaming_action()

    def first(self) -> Any:
        raise streaming_action()

    def toPandas(self) -> Any:
        raise streaming_action()

    def isEmpty(self) -> bool:
        raise streaming_action()


class _NullFunctions:
    """`DataFrame.na`."""

    def __init__(self, frame: DataFrame):
        self.drop, self.fill = frame.dropna, frame.fillna

    def __getattr__(self, name: str) -> Any:
        raise OnlyTheLab(f"DataFrame.na.{name}")


def frame_of_input(session: SparkSession, source: Source) -> DataFrame:
    """A frame of an input's columns."""
    fields = tuple(
        Field(name, tv.named_type(type), new_key(), name, origin=name)
        for name, type in source.columns.items()
    )
    return DataFrame(session, source, fields)


def finished(frame: DataFrame) -> Node:
    """The plan with the columns that the learner sees, under their names."""
    names = {f.name: f.column for f in frame._fields}
    there = plan_columns(frame._node)
    if list(names) == there and all(name == column for name, column in names.items()):
        return frame._node
    made: dict[str, Expression] = {n: ModelColumn(column) for n, column in names.items()}
    return Project(frame._node, made)


def plan_columns(node: Node) -> list[str]:
    """The columns of a plan, by their names in the model."""
    with modelled():
        return columns_of(node)


def _unused(name: str, taken: dict[str, Any]) -> str:
    return next(n for n in (f"{name}_{number}" for number in range(1, 99)) if n not in taken)


def _fills(value: Any, type: str) -> bool:
    """Whether `fillna` changes a column of a type with this value."""
    if isinstance(value, bool) or not isinstance(value, str | int):
        raise OnlyTheLab(f"fillna with {value!r}")
    return type == "string" if isinstance(value, str) else type in tv.NUMBERS


def _filled(type: str) -> Callable[[Typed, Typed], Typed]:
    return lambda value, filled: Typed(call("coalesce", value.of, tv.cast(filled, type).of), type)
