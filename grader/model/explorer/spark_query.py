"""A query of the model as Spark's own, so that both can be played and compared."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from datetime import timezone
from typing import Any

import pandas as pd
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.types import IntegralType, TimestampType

from grader.model import expressions as E
from grader.model.query import (
    Aggregate,
    Deduplicate,
    Filter,
    Fold,
    Interval,
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
    ddl,
    nodes,
)
from grader.model.unsupported import NotModelled
from grader.replay.kafka import Kafka
from grader.replay.replay import replay
from grader.runtime.setting_names import WATERMARK_POLICY
from grader.scenario import Exercise, Input, Scenario, Variant
from grader.scenario.recording import Recording


def exercise_of(query: Query, scenario: Scenario) -> Exercise:
    """What replay has to know to play a query: its inputs, its mode, its settings."""
    sources = {n.input: n for n in nodes(query.plan) if isinstance(n, Source)}
    partitions = dict.fromkeys(sources, 1)
    for event in scenario.events:
        partitions[event.input] = max(partitions[event.input], event.partition + 1)
    inputs = {
        name: Input(source.schema, partitions=partitions[name]) for name, source in sources.items()
    }
    return Exercise(
        id="model",
        title="A query of the model",
        answer="answer",
        takes=list(inputs),
        inputs=inputs,
        output_mode=query.mode,
        conf={WATERMARK_POLICY: query.policy},
    )


def answer_of(query: Query, names: list[str]) -> Callable[..., DataFrame]:
    """A function as a learner writes it: of the inputs by these names."""

    def answer(*frames: DataFrame) -> DataFrame:
        return frame_of(query.plan, dict(zip(names, frames, strict=True)))

    return answer


def on_spark(spark: SparkSession, kafka: Kafka, query: Query, scenario: Scenario) -> Recording:
    """The recording of the same query on the real thing."""
    exercise = exercise_of(query, scenario)
    answer = answer_of(query, exercise.takes)
    return replay(spark, kafka, exercise, answer, Variant("as_is", scenario))


def frame_of(node: Node, inputs: Mapping[str, DataFrame]) -> DataFrame:
    """A plan on the frames of its inputs."""
    match node:
        case Source(input, columns):
            return inputs[input].select(*columns)
        case Filter(child, condition):
            return frame_of(child, inputs).where(column_of(condition))
        case Project(child, columns):
            return frame_of(child, inputs).select(*_named(columns))
        case Watermark(child, column, delay):
            return frame_of(child, inputs).withWatermark(column, delay)
        case Union(left, right):
            return frame_of(left, inputs).unionByName(frame_of(right, inputs))
        case Aggregate(child, keys, results):
            found = [_fold(fold).alias(name) for name, fold in results.items()]
            return frame_of(child, inputs).groupBy(*_keys(keys)).agg(*found)
        case Deduplicate(child, columns, within):
            frame = frame_of(child, inputs)
            drop = frame.dropDuplicatesWithinWatermark if within else frame.dropDuplicates
            return drop(list(columns)) if columns else drop()
        case Join(only=only) if only is not None:
            raise NotModelled("a join with a condition on its pairs")
        case Join(left, right, kind):
            frames = frame_of(left, inputs), frame_of(right, inputs)
            return frames[0].join(frames[1], _condition(node), kind)
        case WithState():
            return _with_state(node, frame_of(node.child, inputs))
    raise TypeError(node)


def column_of(expression: E.Expression) -> Column:
    match expression:
        case E.Column(name):
            return F.col(name)
        case E.Constant(value):
            return F.lit(value)
    arguments = expression.arguments
    if expression.function == "date_trunc":
        return F.date_trunc(arguments[0].value, column_of(arguments[1]))  # type: ignore[union-attr]
    return _CALLS[expression.function](*(column_of(argument) for argument in arguments))


def _case(*columns: Column) -> Column:
    whole = len(columns) // 2 * 2
    found: Any = F
    for condition, value in zip(columns[:whole:2], columns[1:whole:2], strict=True):
        found = found.when(condition, value)
    return found.otherwise(columns[-1]) if len(columns) > whole else found


def _all(*columns: Column) -> Column:
    found = columns[0]
    for column in columns[1:]:
        found = found & column
    return found


def _any(*columns: Column) -> Column:
    found = columns[0]
    for column in columns[1:]:
        found = found | column
    return found


_CALLS: dict[str, Callable[..., Column]] = {
    "and": _all,
    "or": _any,
    "coalesce": F.coalesce,
    "case": _case,
    "is_null": F.isnull,
    "is_not_null": F.isnotnull,
    **E.SIGNS,
    "/": lambda a, b: a / b,
    "not": lambda a: ~a,
    "double": lambda a: a.cast("double"),
    "long": lambda a: a.cast("long"),
    "starts_with": F.startswith,
    "timestamp_seconds": F.timestamp_seconds,
    "timestamp_millis": F.timestamp_millis,
    "window_time": F.window_time,
}


def _named(columns: Mapping[str, E.Expression]) -> list[Column]:
    return [column_of(expression).alias(name) for name, expression in columns.items()]


def _keys(keys: Mapping[str, Key]) -> list[Column]:
    return [_key(key).alias(name) for name, key in keys.items()]


def _key(key: Key) -> Column:
    match key:
        case TimeWindow(time, duration, slide, start):
            return F.window(time, duration, slide or duration, start)
        case SessionWindow(time, gap):
            return F.session_window(time, gap if isinstance(gap, str) else column_of(gap))
    return column_of(key)


def _fold(fold: Fold) -> Column:
    of = "*" if fold.of is None else column_of(fold.of)
    return getattr(F, fold.function)(of)  # type: ignore[no-any-return]


def _with_state(node: WithState, frame: DataFrame) -> DataFrame:
    """The model's function as pandas calls it: rows come in pieces, and null as NaN or NaT.

    All that it needs is inside, so that Spark ships it whole: a worker knows no other part of
    the grader.
    """
    function, keys, columns = node.function, node.keys, list(node.columns)
    whole = {f.name for f in frame.schema if isinstance(f.dataType, IntegralType)}
    times = {f.name for f in frame.schema if isinstance(f.dataType, TimestampType)}

    def value(name: str, given: Any) -> Any:
        if pd.isna(given):
            return None
        if name in times:
            return pd.Timestamp(given).to_pydatetime().replace(tzinfo=timezone.utc)
        if name in whole:
            return int(given)
        return given.item() if hasattr(given, "item") else given

    def called(key: Any, pieces: Iterator[pd.DataFrame], state: Any) -> Iterator[pd.DataFrame]:
        rows = [
            {name: value(name, given) for name, given in row.items()}
            for piece in pieces
            for row in piece.to_dict("records")
        ]
        named = zip(keys, key, strict=True)
        found = list(function(tuple(value(name, given) for name, given in named), rows, state))
        yield pd.DataFrame(found, columns=columns, dtype=object)

    grouped = frame.groupBy(*keys)
    return grouped.applyInPandasWithState(
        called, ddl(node.columns), ddl(node.kept), node.mode, node.timeout
    )


def _condition(node: Join) -> Column:
    parts = [F.col(left) == F.col(right) for left, right in node.keys.items()]
    return _all(*parts, *([] if node.within is None else _bounds(node.within)))


def _bounds(within: Interval) -> list[Column]:
    left, right = F.col(within.left_time), F.col(within.right_time)
    found = []
    if within.lower is not None:
        limit = left + F.expr(f"INTERVAL '{within.lower}'")
        found.append(right >= limit if within.lower_inclusive else right > limit)
    if within.upper is not None:
        limit = left + F.expr(f"INTERVAL '{within.upper}'")
        found.append(right <= limit if within.upper_inclusive else right < limit)
    return found
