"""The newest records that a query has read, processed by the first steps of its plan a second time."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from typing import Any

from py4j.java_gateway import JavaObject
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.types import StructType, TimestampType

from grader.live_query.checkpoint_files import Offsets
from grader.live_query.kafka_topics import KafkaSource
from grader.live_query.observation import Passed, Sample, SampledTime
from grader.live_query.query_plan import KAFKA_LEAF, Node, children_of, items_of, step_of
from grader.runtime.spark_internals.plan_internals import (
    calls_python,
    frame_of_plan,
    local_rows,
    on_children,
)

# records of all partitions together
_SIZE = 1000
# these work row by row, and have no state
_PLAIN = {"Project", "EventTimeWatermark", "SubqueryAlias"}
_TAKERS = {"Filter", "Generate"}
_EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)
# the columns of Kafka's own that may be null in every row
_OWN = {"key", "value", "headers"}


@dataclass(frozen=True)
class _Range:
    """The offsets that a sample is taken from, by topic and partition: the first, and the one after the last."""

    first: Offsets
    after: Offsets
    whole: bool

    @property
    def size(self) -> int:
        return sum(
            self.after[name][part] - offset
            for name, parts in self.first.items()
            for part, offset in parts.items()
        )


def samples_of(
    spark: SparkSession,
    session: JavaObject,
    root: Node,
    sources: Mapping[str, KafkaSource],
    read: Offsets,
) -> dict[str, Sample]:
    """A sample of each Kafka input, by its name. `session` is the query's own, `read` how far it has read.

    The values are read from Kafka with the source's settings. The sample applies the query's plan up to the
    first step with state or Python code. Nothing is written.
    """
    found: dict[str, Sample] = {}
    for chain in _chains(root):
        name = chain[0].inputs[0]
        source = sources.get(name)
        span = _range(source, read) if source is not None else None
        if source is not None and span is not None and name not in found:
            found[name] = _Chain(spark, session, chain, source, span).sample()
    return found


def _chains(root: Node, above: tuple[Node, ...] = ()) -> Iterator[list[Node]]:
    """For each Kafka leaf the nodes from it toward the result, as far as they work row by row."""
    if root.name == KAFKA_LEAF:
        chain = [root]
        for node in reversed(above):
            if node.name not in _PLAIN | _TAKERS:
                break
            chain.append(node)
        yield chain
    for child in root.below:
        yield from _chains(child, (*above, root))


def _range(source: KafkaSource, read: Offsets) -> _Range | None:
    """The newest records that the query has read; None if there are none."""
    spans = {
        (name, part): (span.first, min(span.after, read.get(name, {}).get(str(part), 0)))
        for name, parts in (source.topics or {}).items()
        for part, span in parts.items()
    }
    spans = {key: (first, after) for key, (first, after) in spans.items() if after > first}
    if not spans:
        return None
    size = max(_SIZE // len(spans), 20)
    first: Offsets = {}
    last: Offsets = {}
    for (name, part), (begin, after) in spans.items():
        first.setdefault(name, {})[str(part)] = max(begin, after - size)
        last.setdefault(name, {})[str(part)] = after
    whole = all(after - begin <= size for begin, after in spans.values())
    return _Range(first, last, whole)


class _Chain:
    """One input's way through the first nodes of a plan, over records that are read once."""

    def __init__(
        self,
        spark: SparkSession,
        session: JavaObject,
        chain: list[Node],
        source: KafkaSource,
        span: _Range,
    ):
        self._spark, self._session, self._range = spark, session, span
        self._nodes = [node for node in chain if not calls_python(spark, node.java)]
        rows = self._read(source).queryExecution().executedPlan().executeCollect()
        self._size = len(rows)
        self._leaf = local_rows(spark, chain[0].java, rows)

    def sample(self) -> Sample:
        parsed = self._nodes[0]
        for node in self._nodes[1:]:
            if node.name not in _PLAIN:
                break
            parsed = node
        records = self._frame(self._nodes[0]).select("partition", "offset", "value").collect()
        columns, empty, times = self._columns(parsed)
        watermark = self._watermark()
        return Sample(
            rows=self._size,
            offsets=self._range.size,
            whole=self._range.whole,
            values=tuple(bytes(row.value) for row in records[-20:] if row.value is not None),
            columns=columns,
            empty=empty,
            schema=self._schema(),
            times=tuple(
                SampledTime(row.partition, row.offset, _time(micros))
                for row, micros in zip(records, times.get(watermark, ()), strict=False)
                if micros is not None and _time(micros)
            ),
            passed=tuple(self._passed()),
            without_value=sum(row.value is None for row in records),
        )

    def _read(self, source: KafkaSource) -> JavaObject:
        wanted = {name: [int(part) for part in parts] for name, parts in self._range.first.items()}
        options = {
            **{k: v for k, v in source.options.items() if k.startswith("kafka.")},
            "includeHeaders": source.options.get("includeheaders", "false"),
            "assign": json.dumps(wanted),
            "startingOffsets": json.dumps(self._range.first),
            "endingOffsets": json.dumps(self._range.after),
            "failOnDataLoss": "false",
            "kafkaConsumer.pollTimeoutMs": "5000",
        }
        reader = self._session.read().format("kafka")
        for name, value in options.items():
            reader = reader.option(name, value)
        return reader.load()

    def _frame(self, node: Node) -> DataFrame:
        """The sample as the rows of a node of the plan."""
        return frame_of_plan(self._spark, self._session, self._rebuilt(node))

    def _rebuilt(self, node: Node) -> JavaObject:
        if node.name == KAFKA_LEAF:
            return self._leaf
        return on_children(self._spark, node.java, map(self._rebuilt, node.below))

    def _columns(
        self, node: Node
    ) -> tuple[tuple[str, ...], tuple[str, ...], dict[str, list[int | None]]]:
        """The columns of a node, those that are null in every row, and times in microseconds by column."""
        frame = self._frame(node)
        given = frame.schema
        frame = frame.toDF(*(f"c{number}" for number in range(len(given))))
        wanted: dict[str, Any] = {}
        timed: dict[str, Any] = {}
        for number, column in enumerate(given):
            if column.name in _OWN:
                continue
            if isinstance(column.dataType, StructType):
                for inner in column.dataType:
                    wanted[f"{column.name}.{inner.name}"] = F.col(f"c{number}.`{inner.name}`")
            else:
                wanted[column.name] = F.col(f"c{number}")
            if isinstance(column.dataType, TimestampType):
                timed[column.name] = F.unix_micros(F.col(f"c{number}"))
        rows = frame.select(
            *(one.isNotNull() for one in wanted.values()), *timed.values()
        ).collect()
        empty = [
            name for index, name in enumerate(wanted) if rows and not any(r[index] for r in rows)
        ]
        times = {name: [r[len(wanted) + n] for r in rows] for n, name in enumerate(timed)}
        return tuple(wanted), tuple(empty), times

    def _watermark(self) -> str:
        marks = [node for node in self._nodes if node.name == "EventTimeWatermark"]
        return str(marks[0].java.eventTime().name()) if marks else ""

    def _passed(self) -> Iterator[Passed]:
        """How many rows of the sample each step lets through."""
        before = self._size
        for node in self._nodes:
            step = step_of(node)
            if node.name in _TAKERS and step is not None:
                after = self._frame(node).count()
                yield Passed(step, before, after)
                before = after

    def _schema(self) -> dict[str, Any] | None:
        """The schema of the first from_json, as JSON; None if there is none."""
        for node in self._nodes[1:]:
            for expression in items_of(node.java.expressions()):
                read = _from_json(expression)
                if read is not None:
                    parsed = json.loads(str(read.schema().json()))
                    return parsed if isinstance(parsed, dict) else None
        return None


def _from_json(expression: JavaObject) -> JavaObject | None:
    if str(expression.getClass().getSimpleName()) == "JsonToStructs":
        return expression
    for child in children_of(expression):
        found = _from_json(child)
        if found is not None:
            return found
    return None


def _time(micros: int) -> str:
    """A time in ISO 8601; empty for one beyond Python's calendar."""
    try:
        return (_EPOCH + timedelta(microseconds=micros)).isoformat().replace("+00:00", "Z")
    except OverflowError:
        return ""
