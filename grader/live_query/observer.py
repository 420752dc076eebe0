"""Looking at a streaming query from outside: its progress, its plan, its offsets, its state."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from py4j.java_gateway import JavaObject
from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession
from pyspark.sql import functions as F
from pyspark.sql.streaming.query import StreamingQuery
from pyspark.sql.types import StructType

from grader.live_query.observation import Observation, Sink, Step, TimedStream, Topic
from grader.replay.failures import failure_of
from grader.replay.kafka import Kafka
from grader.runtime.setting_names import WATERMARK_POLICY
from grader.runtime.spark_internals.java_gateway import java
from grader.runtime.spark_internals.query_internals import (
    execution_of,
    micro_batch_class,
    writer_options,
)
from grader.runtime.spark_jvm import spark_log

# topic → partition → offset, as Spark writes them
Offsets = dict[str, dict[str, int]]
_PROGRESS_KEPT = "spark.sql.streaming.numRecentProgressUpdates"
_SUBSCRIBED = re.compile(r"^KafkaV2\[\w+\[(.*)\]\]$")
_FOLDER = re.compile(r"^FileSink\[(?:file:)?(.*)\]$")
_WINDOW = ["start", "end"]
_INTERVAL = re.compile(r"ProcessingTimeTrigger\((\d+)\)")
# a plan's node → the step that a learner would know it by
_PYTHON = {
    "MapInPandas": "mapInPandas",
    "MapInArrow": "mapInArrow",
    "PythonMapInArrow": "mapInArrow",
}
_DEDUPLICATE = {
    "Deduplicate": "dropDuplicates",
    "DeduplicateWithinWatermark": "dropDuplicatesWithinWatermark",
}


def observe(query: StreamingQuery, spark: SparkSession, kafka: Kafka) -> Observation:
    """What can be seen of a query from outside; nothing of it is changed."""
    execution = execution_of(query)
    error = query.exception()
    progress = [json.loads(event.json) for event in query.recentProgress]
    sink = _sink(query, execution)
    checkpoint = _checkpoint(execution)
    nodes = list(_nodes(execution.analyzedPlan()))
    reads = _Reads(kafka, progress, checkpoint, nodes, counted=sink.kind != "foreachBatch")
    trigger = str(execution.trigger().toString())
    interval = _INTERVAL.match(trigger)
    tracker = execution.watermarkTracker() if micro_batch_class(execution) is not None else None
    records = reads.records()
    known = int(spark.conf.get(_PROGRESS_KEPT) or 100) - 1
    whole = len(progress) < max(known, 1) or progress[0]["batchId"] == 0
    first = reads.batches[0]["batchId"] if reads.batches else None
    return Observation(
        active=query.isActive,
        failure=failure_of(error, phase="query") if error is not None else None,
        status=query.status.get("message", "") if query.isActive else "",
        progress=progress,
        whole=whole,
        resumed=_has_commits(checkpoint) if first is None else whole and first > 0,
        kept=checkpoint is not None,
        mode=str(execution.outputMode().toString()).lower(),
        trigger="processingTime" if interval else trigger,
        interval=int(interval.group(1)) if interval else 0,
        now=datetime.now(timezone.utc).isoformat(),
        sink=sink,
        topics=reads.topics(),
        records=records,
        streams=_streams(nodes, tracker, spark, records or {}),
        policy=str(execution.sparkSessionForStream().conf().get(WATERMARK_POLICY)).lower(),
        watermark=_iso(spark, tracker.currentWatermark()) if tracker is not None else None,
        window_ends=_window_ends(checkpoint, spark) if checkpoint else [],
        steps=[step for node, _ in nodes if (step := _step(node)) is not None],
    )


def _nodes(node: JavaObject) -> Iterator[tuple[JavaObject, tuple[str, ...]]]:
    """The nodes of a plan from the result down, each with the names of the inputs below it."""
    children = node.children()
    below = [list(_nodes(children.apply(index))) for index in range(children.size())]
    inputs = (
        (_input_name(node),)
        if not below and node.isStreaming()
        else tuple(name for found in below for name in found[0][1])
    )
    yield node, tuple(dict.fromkeys(inputs))
    for found in below:
        yield from found


def _input_name(leaf: JavaObject) -> str:
    """A source by its topics, or by its format."""
    if str(leaf.nodeName()) == "StreamingRelationV2":
        subscribed = leaf.extraOptions().get("subscribe")
        return ", ".join(_names(subscribed)) if subscribed else str(leaf.sourceName())
    return str(leaf.nodeName())


def _names(subscribed: str) -> list[str]:
    return sorted(name.strip() for name in subscribed.split(","))


def _step(node: JavaObject) -> Step | None:
    name = str(node.nodeName())
    if name == "Filter":
        return Step("filter", str(node.condition().sql()))
    if name == "Join":
        streams = node.left().isStreaming() and node.right().isStreaming()
        kind = "stream_join" if streams else "table_join"
        return Step(kind, str(node.joinType().sql()).lower())
    if name == "Generate":
        return Step("explode", str(node.generator().prettyName()))
    if name == "GlobalLimit":
        return Step("limit", str(node.limitExpr().sql()))
    if name == "Aggregate":
        return Step("aggregate")
    if name in _DEDUPLICATE:
        return Step("deduplicate", _DEDUPLICATE[name])
    return Step("python", _PYTHON[name]) if name in _PYTHON else None


def _streams(
    nodes: list[tuple[JavaObject, tuple[str, ...]]],
    tracker: JavaObject | None,
    spark: SparkSession,
    records: dict[str, int],
) -> list[TimedStream]:
    """The plan's watermarks. Spark keeps for each, under its node's id, where this run has brought it."""
    found: dict[str, TimedStream] = {}
    logical = java(spark).org.apache.spark.sql.catalyst.plans.logical
    for node, inputs in nodes:
        if str(node.nodeName()) != "EventTimeWatermark":
            continue
        delay = int(logical.EventTimeWatermark.getDelayMs(node.delay()))
        known = tracker.watermarkMap().get(node.nodeId()) if tracker is not None else None
        reached = known.get() if known is not None and known.isDefined() else None
        newest = (
            _iso(spark, reached.get() + delay)
            if reached is not None and reached.isDefined()
            else None
        )
        found[str(node.nodeId())] = TimedStream(
            inputs=inputs,
            column=str(node.eventTime().name()),
            delay=delay,
            newest=newest,
            records=sum(records[name] for name in inputs)
            if all(name in records for name in inputs)
            else None,
        )
    return list(found.values())


def _iso(spark: SparkSession, milliseconds: int) -> str:
    """Java knows years that Python does not."""
    return str(java(spark).java.time.Instant.ofEpochMilli(milliseconds).toString())


def _sink(query: StreamingQuery, execution: JavaObject) -> Sink:
    sink = execution.sink()
    name, text = str(sink.getClass().getSimpleName()), str(sink.toString())
    if name == "KafkaTable":
        return Sink("kafka", writer_options(execution).get("topic", ""))
    if name == "MemorySink":
        return Sink("memory", query.name or "")
    if name == "ConsoleTable$":
        return Sink("console", str(spark_log()))
    if name == "ForeachBatchSink":
        return Sink("foreachBatch")
    if name == "ForeachWriterTable":
        return Sink("foreach")
    if name == "NoopTable$":
        return Sink("noop")
    folder = _FOLDER.match(text)
    return Sink("file", folder.group(1)) if folder else Sink()


class _Reads:
    """What a query has read of its inputs, from the offsets of its batches and its checkpoint.

    Offsets count records. Spark's own numInputRows counts reads: a function of foreachBatch with
    two actions reads its batch twice.
    """

    def __init__(
        self,
        kafka: Kafka,
        progress: list[dict[str, Any]],
        checkpoint: Path | None,
        nodes: list[tuple[JavaObject, tuple[str, ...]]],
        *,
        counted: bool,
    ):
        self.batches = [event for event in progress if "addBatch" in event.get("durationMs", {})]
        self._counted = counted
        self._began = _initial_offsets(checkpoint)
        self._logged = _committed_offsets(checkpoint)
        self._now: dict[str, dict[int, tuple[int, int]]] = {}
        for node, _ in nodes:
            if str(node.nodeName()) != "StreamingRelationV2":
                continue
            options = node.extraOptions()
            if options.get("kafka.bootstrap.servers") != kafka.bootstrap_servers:
                continue  # a broker that the lab knows nothing of
            for name in _names(options.get("subscribe")) if options.get("subscribe") else ():
                self._now[name] = kafka.offsets(name)
                if options.get("startingOffsets") == "earliest":
                    first = {str(part): span[0] for part, span in self._now[name].items()}
                    self._began.setdefault(name, first)

    def topics(self) -> dict[str, Topic]:
        return {name: self._topic(name) for name in self._now}

    def _topic(self, name: str) -> Topic:
        spans = self._now[name]
        began, read = self._began.get(name, {}), self._read_to(name)
        return Topic(
            records=sum(after - first for first, after in spans.values()),
            before=sum(max(0, began.get(str(p), first) - first) for p, (first, _) in spans.items()),
            unread=sum(
                max(0, after - max(first, read.get(str(p), began.get(str(p), first))))
                for p, (first, after) in spans.items()
            )
            if read or began
            else 0,
        )

    def _read_to(self, name: str) -> dict[str, int]:
        for event in reversed(self.batches):
            for source in event.get("sources", []):
                offsets = source.get("endOffset")
                if isinstance(offsets, dict) and name in offsets:
                    return dict(offsets[name])
        return self._logged.get(name, {})

    def records(self) -> dict[str, int] | None:
        """Records by input, over this run; None where nothing says how many there were."""
        total: dict[str, int] = {}
        for event in self.batches:
            for source in event.get("sources", []):
                count = self._of(source)
                if count is None:
                    return None
                name = _source_name(source)
                total[name] = total.get(name, 0) + count
        return total

    def _of(self, source: dict[str, Any]) -> int | None:
        start, end = source.get("startOffset"), source.get("endOffset")
        if _SUBSCRIBED.match(source.get("description", "")) and isinstance(end, dict):
            begin: Offsets = start if isinstance(start, dict) else self._began
            if all(name in begin for name in end):
                return sum(
                    offset - begin[name].get(part, 0)
                    for name, parts in end.items()
                    for part, offset in parts.items()
                )
        return int(source.get("numInputRows", 0)) if self._counted else None


def _source_name(source: dict[str, Any]) -> str:
    description = str(source.get("description", "?"))
    subscribed = _SUBSCRIBED.match(description)
    return ", ".join(_names(subscribed.group(1))) if subscribed else description


def _initial_offsets(checkpoint: Path | None) -> Offsets:
    """Where each topic was begun; Spark's connector writes it down at the first start."""
    found: Offsets = {}
    for path in checkpoint.glob("sources/*/0") if checkpoint else ():
        text = path.read_bytes().decode(errors="replace")
        found |= _offsets(text[text.find("{") :])
    return found


def _committed_offsets(checkpoint: Path | None) -> Offsets:
    """How far the last committed batch of a checkpoint has read."""
    found: Offsets = {}
    done = [int(path.name) for path in _numbered(checkpoint, "commits")]
    if checkpoint is None or not done:
        return found
    for line in (checkpoint / "offsets" / str(max(done))).read_text().splitlines()[2:]:
        found |= _offsets(line)
    return found


def _offsets(text: str) -> Offsets:
    try:
        read = json.loads(text)
    except ValueError:
        return {}
    given = read.items() if isinstance(read, dict) else ()
    return {name: parts for name, parts in given if isinstance(parts, dict)}


def _numbered(checkpoint: Path | None, folder: str) -> list[Path]:
    return [p for p in (checkpoint / folder).glob("*") if p.name.isdigit()] if checkpoint else []


def _has_commits(checkpoint: Path | None) -> bool:
    return bool(_numbered(checkpoint, "commits"))


def _window_ends(checkpoint: Path, spark: SparkSession) -> list[str]:
    """The first end of the windows that wait, for each stateful operator that keeps windows."""
    operators = [path for path in (checkpoint / "state").glob("*") if path.name.isdigit()]
    ends = [_first_end(checkpoint, int(path.name), spark) for path in operators]
    return [end for end in ends if end is not None]


def _first_end(checkpoint: Path, operator: int, spark: SparkSession) -> str | None:
    try:
        state = spark.read.format("statestore").option("operatorId", operator).load(str(checkpoint))
        for part in ("key", "value"):  # a session stands in the value
            for column in state.select(f"{part}.*").schema:
                if isinstance(column.dataType, StructType) and column.dataType.names == _WINDOW:
                    end = F.min(F.col(f"{part}.`{column.name}`.end"))
                    row = state.select(F.date_format(end, "yyyy-MM-dd'T'HH:mm:ss.SSSXXX")).first()
                    return row[0] if row is not None else None
    except (PySparkException, Py4JJavaError):  # state that is no table of keys and values
        return None
    return None


def _checkpoint(execution: JavaObject) -> Path | None:
    """The query's checkpoint folder, which PySpark itself does not tell; Spark removes its own at the end."""
    path = Path(str(execution.resolvedCheckpointRoot()).removeprefix("file:"))
    return path if path.exists() else None
