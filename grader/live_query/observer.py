"""Looking at a streaming query from outside: its progress, its plan, its offsets, its state."""

from __future__ import annotations

import contextlib
import json
import re
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import datetime, timezone
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from py4j.java_gateway import JavaObject
from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.streaming.query import StreamingQuery
from pyspark.sql.types import StructType

from grader.live_query.checkpoint_files import Checkpoint
from grader.live_query.file_source import file_inputs
from grader.live_query.kafka_topics import KafkaSource, asked
from grader.live_query.observation import (
    FileInput,
    MissingColumn,
    NarrowedJoin,
    Observation,
    Sample,
    Sink,
    Step,
    TimedStream,
)
from grader.live_query.operator_code import misnamed_columns
from grader.live_query.query_plan import (
    Node,
    endless_states,
    file_options,
    kafka_source,
    narrowed_join,
    node_of,
    steps_of,
)
from grader.live_query.read_positions import ReadPositions
from grader.live_query.row_sample import samples_of
from grader.replay.failures import failure_of
from grader.runtime.setting_names import WATERMARK_POLICY
from grader.runtime.spark_internals.java_gateway import java
from grader.runtime.spark_internals.query_internals import (
    execution_of,
    micro_batch_class,
    writer_options,
)
from grader.runtime.spark_jvm import spark_log

_T = TypeVar("_T")
_PROGRESS_KEPT = "spark.sql.streaming.numRecentProgressUpdates"
_FOLDER = re.compile(r"^FileSink\[(?:file:)?(.*)\]$")
_WINDOW = ["start", "end"]
_INTERVAL = re.compile(r"ProcessingTimeTrigger\((\d+)\)")
# how long a query that has just been started is given for its first micro-batch
_FIRST_BATCH_SECONDS = 6
# if a query goes on meanwhile, it is observed again, so often at most
_LOOKS = 3


def observe(query: StreamingQuery, spark: SparkSession) -> Observation:
    """What can be seen of a query from outside; nothing of it is changed.

    A query goes on while it is observed: the observation is repeated until nothing happens meanwhile.
    Raises nothing; what cannot be seen is named in `unseen`.
    """
    _await_first_batch(query)
    seen = _Look(query, spark)
    for _ in range(_LOOKS):
        before = _life(query)
        seen = _Look(query, spark)
        found = seen.observation()
        if _life(query) == before:
            break
    return seen.with_samples(found)


def _await_first_batch(query: StreamingQuery) -> None:
    """Give a query that was just started time for a first micro-batch, or for its error."""
    until = time.monotonic() + _FIRST_BATCH_SECONDS
    with contextlib.suppress(Exception):  # the query's own error is read later
        while query.isActive and not query.recentProgress and time.monotonic() < until:
            if "Waiting" in query.status["message"] or query.awaitTermination(0.2):  # type: ignore[arg-type]
                return


def _life(query: StreamingQuery) -> tuple[Any, ...]:
    """What changes when something happens to a query.

    `isActive` is read first: Spark stores the error of a query before it calls the query inactive.
    """
    try:
        active = query.isActive
        last = query.lastProgress
        return active, query.exception() is None, last and (last.batchId, last.timestamp)
    except Exception:
        return ()


@dataclass
class _Look:
    """One look at a query. What cannot be read is noted and counts as not there."""

    query: StreamingQuery
    spark: SparkSession
    unseen: list[str] = field(default_factory=list)
    silent: list[str] = field(default_factory=list)
    root: Node | None = None
    sources: dict[str, KafkaSource] = field(default_factory=dict)
    reads: ReadPositions = field(default_factory=lambda: ReadPositions([], {}))

    def _read(self, what: str, read: Callable[[], _T], default: _T) -> _T:
        try:
            return read()
        except Exception:
            self.unseen.append(what)
            return default

    def observation(self) -> Observation:
        query, read = self.query, self._read
        active = read("whether it runs", lambda: query.isActive, False)
        error = read(
            "its error", lambda: query.exception(), None
        )  # after isActive, or it may be missed
        progress: list[dict[str, Any]] = read(
            "its progress", lambda: [json.loads(event.json) for event in query.recentProgress], []
        )
        seen = Observation(
            active=active and error is None,
            failure=failure_of(error, phase="query") if error is not None else None,
            status=read("its status", lambda: str(query.status.get("message", "")), "")
            if active
            else "",
            progress=progress,
            now=datetime.now(timezone.utc).isoformat(),
        )
        execution = read("the query", lambda: execution_of(query), None)
        seen = self._inside(seen, execution) if execution is not None else seen
        return replace(seen, unseen=self.unseen, silent_brokers=self.silent)

    def _inside(self, seen: Observation, execution: JavaObject) -> Observation:
        """The observation with what Spark's own objects say."""
        read = self._read
        self.root = read("its plan", lambda: node_of(execution.analyzedPlan()), None)
        checkpoint = read("its checkpoint", lambda: _checkpoint(execution), None)
        sink = read("its sink", lambda: _sink(self.query, execution), Sink())
        self.sources = self._kafka_sources()
        self.reads = ReadPositions(
            seen.batches,
            self.sources,
            checkpoint.began() if checkpoint else {},
            checkpoint.committed() if checkpoint else {},
            counted=sink.kind != "foreachBatch",
        )
        steps: list[Step] = read("its steps", lambda: steps_of(self.root) if self.root else [], [])
        stateful = any(s.kind in _STATEFUL for s in steps)
        trigger = read("its trigger", lambda: str(execution.trigger().toString()), "")
        interval = _INTERVAL.match(trigger)
        tracker = read(
            "its watermark",
            lambda: execution.watermarkTracker() if micro_batch_class(execution) else None,
            None,
        )
        records = read("its records", self.reads.records, None)
        whole = read("its settings", lambda: self._whole(seen), True)
        return replace(
            seen,
            whole=whole,
            resumed=_resumed(seen, checkpoint, whole),
            kept=checkpoint is not None,
            mode=read("its mode", lambda: str(execution.outputMode().toString()).lower(), "append"),
            trigger="processingTime" if interval else trigger,
            interval=int(interval.group(1)) if interval else 0,
            sink=sink,
            topics=read("its topics", self.reads.topics, {}),
            records=records,
            streams=read("its watermarks", lambda: self._streams(tracker, records or {}), []),
            policy=read("its policy", lambda: _policy(execution), "min"),
            watermark=read("its watermark", lambda: self._watermark(tracker), None),
            window_ends=read("its state", lambda: self._window_ends(checkpoint), []),
            steps=steps,
            unmatched=[
                source.given[1]
                for source in self.sources.values()
                if source.given[0] == "SubscribePattern" and source.topics == {}
            ],
            damage=read("its files", lambda: checkpoint.damage(stateful=stateful), [])
            if checkpoint
            else [],
            narrowed=read("what Spark made of it", lambda: self._narrowed(execution), None),
            misnamed=read("its Python code", lambda: self._misnamed(sink), []),
            endless=read("its keys", lambda: endless_states(self.root) if self.root else [], []),
            files=read("its files", lambda: self._files(seen, checkpoint), []),
            options={name: source.options for name, source in self.sources.items()},
        )

    def with_samples(self, seen: Observation) -> Observation:
        """The observation with samples of what was read, and what they correct."""
        if self.root is None or not seen.batches:
            return seen
        root = self.root
        samples: dict[str, Sample] = self._read(
            "a sample of its records",
            lambda: samples_of(
                self.spark,
                execution_of(self.query).sparkSession(),
                root,
                self.sources,
                self.reads.read_to(),
            ),
            {},
        )
        records = seen.records
        if records is not None:
            records = {n: _at_most(count, samples.get(n)) for n, count in records.items()}
        return replace(seen, samples=samples, records=records)

    def _kafka_sources(self) -> dict[str, KafkaSource]:
        """The Kafka sources by name, each with its topics if the broker answers."""
        found: dict[str, KafkaSource] = {}
        for node in self.root.nodes() if self.root else ():
            source = self._read("its sources", partial(kafka_source, node.java), None)
            if source is None or node.below or node.inputs[0] in found:
                continue
            known = None if source.servers in self.silent else self._asked(source)
            found[node.inputs[0]] = known or source
        return found

    def _asked(self, source: KafkaSource) -> KafkaSource | None:
        try:
            return asked(self.spark, source)
        except Py4JJavaError as error:
            if "TimeoutException" in str(error.java_exception) or "resolvable" in str(error):
                self.silent.append(source.servers)
            else:
                self.unseen.append(f"the topics of {source.servers}")
            return None

    def _whole(self, seen: Observation) -> bool:
        kept = int(self.spark.conf.get(_PROGRESS_KEPT) or 100) - 1
        return len(seen.progress) < max(kept, 1) or seen.progress[0]["batchId"] == 0

    def _watermark(self, tracker: JavaObject | None) -> str | None:
        return None if tracker is None else _iso(self.spark, tracker.currentWatermark())

    def _streams(self, tracker: JavaObject | None, records: dict[str, int]) -> list[TimedStream]:
        """The plan's watermarks. Spark keeps the position of each in this run, under its node's id."""
        found: dict[str, TimedStream] = {}
        logical = java(self.spark).org.apache.spark.sql.catalyst.plans.logical
        for node in self.root.nodes() if self.root else ():
            if node.name != "EventTimeWatermark":
                continue
            delay = int(logical.EventTimeWatermark.getDelayMs(node.java.delay()))
            known = None if tracker is None else tracker.watermarkMap().get(node.java.nodeId())
            reached = known.get() if known is not None and known.isDefined() else None
            found[str(node.java.nodeId())] = TimedStream(
                inputs=node.inputs,
                column=str(node.java.eventTime().name()),
                delay=delay,
                newest=None
                if reached is None or not reached.isDefined()
                else _iso(self.spark, reached.get() + delay),
                records=sum(records[name] for name in node.inputs)
                if all(name in records for name in node.inputs)
                else None,
            )
        return list(found.values())

    def _files(self, seen: Observation, checkpoint: Checkpoint | None) -> list[FileInput]:
        if checkpoint is None or self.root is None:
            return []
        return file_inputs(seen.batches, checkpoint.path, file_options(self.root))

    def _window_ends(self, checkpoint: Checkpoint | None) -> list[str]:
        """The first end of the windows that wait, for each stateful operator that keeps windows."""
        found = (
            (_first_end(checkpoint, n, self.spark) for n in checkpoint.operators())
            if checkpoint
            else ()
        )
        return [end for end in found if end is not None]

    def _narrowed(self, execution: JavaObject) -> NarrowedJoin | None:
        last = execution.lastExecution()
        if last is None or self.root is None:
            return None
        found = narrowed_join(self.root, node_of(last.optimizedPlan()))
        return None if found is None else NarrowedJoin(*found)

    def _misnamed(self, sink: Sink) -> list[MissingColumn]:
        tag = java(self.spark).scala.reflect.ClassTag.Byte()
        found = list(misnamed_columns(self.root, tag)) if self.root else []
        if not found or sink.kind != "memory":
            return found
        rows = self.spark.table(sink.name)
        return [c for c in found if c.wanted not in rows.columns or _is_empty(rows, c.wanted)]


_STATEFUL = ("aggregate", "deduplicate", "stream_join", "own_state", "limit")


def _resumed(seen: Observation, checkpoint: Checkpoint | None, whole: bool) -> bool:
    if seen.batches:
        return whole and seen.batches[0]["batchId"] > 0
    return checkpoint is not None and bool(checkpoint.numbers("commits"))


def _at_most(count: int, sample: Sample | None) -> int:
    """A number of records; a sample of all that was read knows better than offsets."""
    return min(count, sample.rows) if sample is not None and sample.whole else count


def _is_empty(rows: DataFrame, column: str) -> bool:
    return not rows.where(F.col(f"`{column}`").isNotNull()).head(1)


def _policy(execution: JavaObject) -> str:
    return str(execution.sparkSessionForStream().conf().get(WATERMARK_POLICY)).lower()


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


def _first_end(checkpoint: Checkpoint, operator: int, spark: SparkSession) -> str | None:
    try:
        reader = spark.read.format("statestore").option("operatorId", operator)
        state = reader.load(str(checkpoint.path))
        for part in ("key", "value"):  # a session is in the value
            for column in state.select(f"{part}.*").schema:
                if isinstance(column.dataType, StructType) and column.dataType.names == _WINDOW:
                    end = F.min(F.col(f"{part}.`{column.name}`.end"))
                    row = state.select(F.date_format(end, "yyyy-MM-dd'T'HH:mm:ss.SSSXXX")).first()
                    return row[0] if row is not None else None
    except (PySparkException, Py4JJavaError):  # state that is not a table of keys and values
        return None
    return None


def _checkpoint(execution: JavaObject) -> Checkpoint | None:
    """The query's checkpoint folder; Spark removes its own at the end."""
    path = Path(str(execution.resolvedCheckpointRoot()).removeprefix("file:"))
    return Checkpoint(path) if path.exists() else None
