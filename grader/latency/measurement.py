"""One measurement: a query in its own process, a load, and how old each record was when it was emitted."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from kafka import KafkaAdminClient, KafkaConsumer, TopicPartition
from kafka.admin import NewTopic

from grader.errors import UserFacingError
from grader.latency.constant_load import Load
from grader.latency.latency_chart import Percentiles
from grader.latency.latency_sketch import Latencies
from grader.latency.query_process import POLL_SECONDS, QueryProcess
from grader.latency.tuning import Tuning
from grader.latency.workloads import WORKLOADS, Workload
from grader.replay.kafka import Kafka
from grader.runtime.broker import lease_broker
from grader.runtime.kafka_settings import python_settings
from grader.runtime.scratch_folders import make_scratch, remove_scratch

RATE = 500.0  # records per second in each topic
WARM_UP = 20.0  # seconds that do not count: Java still compiles
WARM_BATCHES = 3  # are over before a record counts: the first opens every store
WARM_MOST = 30.0  # seconds more to wait for them
SECONDS = 40.0
START_SECONDS = 90.0
DRAIN_SECONDS = 120.0  # until the last record that was sent is emitted


class MeasurementError(UserFacingError, RuntimeError):
    """A measurement that failed; the message says why."""


@dataclass(frozen=True)
class TimedBatch:
    """A micro-batch: rows read, seconds from its trigger to its end, and the parts of these seconds.

    The parts have Spark's names in `durationMs`: `addBatch` is the work on the rows and their state.
    """

    rows: int
    seconds: float
    parts: dict[str, float]


@dataclass
class Measurement:
    """What one run showed: latencies in milliseconds, and the batches since records count."""

    workload: str
    tuning: str
    latencies: Latencies
    batches: list[TimedBatch] = field(default_factory=list)

    def percentiles(self) -> Percentiles:
        """For people: p50, p95 and p99; MeasurementError if no record was emitted."""
        try:
            p50, p95, p99 = (self.latencies.at(percent) for percent in (50, 95, 99))
        except ValueError as error:
            raise MeasurementError(str(error)) from error
        found = self.latencies
        return Percentiles(self.tuning, p50, p95, p99, found.count, found.negative)


def measure(
    workload: str,
    tuning: Tuning,
    *,
    rate: float = RATE,
    warm_up: float = WARM_UP,
    seconds: float = SECONDS,
    watch: Callable[[str], None] = lambda phase: None,
) -> Measurement:
    """Measure a workload under a constant load with these settings.

    Records made in the first `warm_up` seconds of the load, and in the first batches, do not count. A
    record's latency ends when the broker has written the output row (its LogAppendTime). The `rate` is
    records per second in each topic. The function `watch` gets the name of each phase. Raises
    MeasurementError if the query fails or does not keep up.
    """
    query = WORKLOADS[workload]
    folder = make_scratch("latency")
    try:
        with lease_broker() as broker:
            servers = broker.bootstrap_servers
            watch("starts")
            with _topics(servers, query, folder.name) as topics:
                with _running(workload, tuning, servers, topics, folder) as running:
                    load = Load(servers, topics, query, rate)
                    began, ended, batches = _play(load, running, warm_up, seconds, watch)
                found = Measurement(workload, tuning.name, Latencies(), batches)
                for made, written in _out(servers, topics["out"]):
                    if began <= made < ended:
                        found.latencies.add(written - made)
            return found
    finally:
        remove_scratch(folder)


def _play(
    load: Load, query: _Query, warm_up: float, seconds: float, watch: Callable[[str], None]
) -> tuple[float, float, list[TimedBatch]]:
    """Send for so many seconds, and wait until the query has read everything.

    Returns when records begin and stop to count, and the batches that ended after records began to count.
    """
    load.start()
    try:
        watch("warms up")
        query.wait(warm_up)
        late = time.monotonic() + WARM_MOST
        while len(query.batches) < WARM_BATCHES and time.monotonic() < late:
            query.wait(POLL_SECONDS)
        watch(f"is measured, {seconds:.0f} s")
        began, first = time.time() * 1000, len(query.batches)
        query.wait(seconds)
        ended = time.time() * 1000
    finally:
        sent = load.stop()
    watch("the last records come out")
    deadline = time.monotonic() + DRAIN_SECONDS
    while query.rows < sent:
        if time.monotonic() > deadline:
            raise MeasurementError(
                f"{sent - query.rows} of {sent} records were not read within {DRAIN_SECONDS:.0f} s: "
                "the query does not keep up; give it a lower rate."
            )
        query.wait(POLL_SECONDS)
    return began, ended, query.batches[first:]


@contextmanager
def _running(
    workload: str, tuning: Tuning, servers: str, topics: dict[str, str], folder: Path
) -> Iterator[_Query]:
    """The query's process, from the start of the query to the end of the block."""
    order = {
        "workload": workload,
        "tuning": asdict(tuning),
        "servers": servers,
        "topics": topics,
        "folder": str(folder),
    }
    query = _Query(order, folder / "query.log")
    try:
        if not query.await_start(START_SECONDS):
            raise MeasurementError(f"the query did not start: {query.last_words()}")
        yield query
    finally:
        query.stop()


class _Query(QueryProcess):
    """The process of the query, and its batches so far."""

    def __init__(self, order: dict[str, Any], log: Path):
        self.batches: list[TimedBatch] = []
        super().__init__("grader.latency.measured_query", order, log, self._note)

    def _note(self, report: dict[str, Any]) -> None:
        self.batches.append(TimedBatch(report["rows"], report["seconds"], report["parts"]))

    @property
    def rows(self) -> int:
        return sum(batch.rows for batch in list(self.batches))

    def wait(self, seconds: float) -> None:
        """Wait so long; raises MeasurementError if the query ends on the way."""
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            if self.ended():
                raise MeasurementError(f"the query ended: {self.failed or 'its process is gone'}")
            time.sleep(min(POLL_SECONDS, max(0.0, until - time.monotonic())))


@contextmanager
def _topics(servers: str, query: Workload, mark: str) -> Iterator[dict[str, str]]:
    """The topics of one measurement: real names by their names in the workload. They are deleted afterward.

    The broker stamps each output record when it writes the record, so the topic needs this setting before
    the first write.
    """
    names = {name: f"{name}-{mark}" for name in (*query.inputs, "out")}
    stamped = {"message.timestamp.type": "LogAppendTime"}
    topics = [
        NewTopic(topic, 1, -1, topic_configs=stamped if name == "out" else {})
        for name, topic in names.items()
    ]
    admin = KafkaAdminClient(bootstrap_servers=servers, **python_settings())
    try:
        admin.create_topics(topics)
    finally:
        admin.close()
    try:
        yield names
    finally:
        Kafka(servers).delete_topics(names.values())


def _out(servers: str, topic: str) -> Iterator[tuple[float, float]]:
    """When each row's record was made and when the row was written, in milliseconds."""
    consumer = KafkaConsumer(bootstrap_servers=servers, **python_settings())
    try:
        partition = TopicPartition(topic, 0)
        consumer.assign([partition])
        consumer.seek_to_beginning(partition)
        end = consumer.end_offsets([partition])[partition]
        while consumer.position(partition) < end:
            for records in consumer.poll(timeout_ms=1000).values():
                for record in records:
                    yield json.loads(record.value)["made"], record.timestamp
    finally:
        consumer.close()
