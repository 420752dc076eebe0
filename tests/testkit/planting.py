"""Topics of clicks and queries on them, to plant a cause and ask grader.why for it."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql.streaming.query import StreamingQuery

import grader
from grader.learner import notebook_lab
from grader.live_query import Reason
from grader.live_query.explanation import why

SCHEMA = "page STRING, event_time TIMESTAMP"
# an hour in which no trigger fires during a test: Spark's triggers fire at multiples of the interval
HOURS = "1000000 hours"


def at(second: int) -> str:
    return f"2026-03-01T{12 + second // 3600:02d}:{second // 60 % 60:02d}:{second % 60:02d}Z"


def click(second: int, page: str | None = "home") -> dict[str, Any]:
    return {"page": page, "event_time": at(second)}


def clock(second: int) -> str:
    return at(second)[11:19]


@dataclass
class Shop:
    """Queries that are stopped when a test is over."""

    running: notebook_lab.Lab = field(default_factory=notebook_lab.start)
    queries: list[StreamingQuery] = field(default_factory=list)

    def topic(self, *values: Any, name: str = "clicks") -> str:
        topic = self.running.kafka.unique_topic(name)
        self.send(topic, *values)
        return topic

    def send(self, topic: str, *values: Any) -> None:
        self.running.kafka.send(topic, values)

    def clicks(self, topic: str, offsets: str = "earliest", schema: str = SCHEMA) -> DataFrame:
        raw = (
            self.running.spark.readStream.format("kafka")
            .option("kafka.bootstrap.servers", self.running.kafka.bootstrap_servers)
            .option("subscribe", topic)
            .option("startingOffsets", offsets)
            .option("kafka.fetch.max.wait.ms", "10")
            .load()
        )
        parsed = F.from_json(F.col("value").cast("string"), schema)
        return raw.select(parsed.alias("click")).select("click.*")

    def timed(self, topic: str, delay: str = "10 seconds") -> DataFrame:
        return self.clicks(topic).withWatermark("event_time", delay)

    def start(
        self,
        frame: DataFrame,
        sink: str = "memory",
        *,
        checkpoint: str | None = None,
        mode: str = "append",
        function: Callable[[DataFrame, int], Any] | None = None,
        every: str | None = None,
        **options: str,
    ) -> StreamingQuery:
        """Start a query with availableNow, or with a trigger that fires `every` so often."""
        if sink == "kafka":
            frame = frame.select(F.to_json(F.struct("*")).alias("value"))
            options["kafka.bootstrap.servers"] = self.running.kafka.bootstrap_servers
            options["topic"] = self.topic(name="results")
        writer = frame.writeStream.outputMode(mode).options(**options)
        writer = writer.foreachBatch(function) if function else writer.format(sink)
        if sink == "memory":
            writer = writer.queryName(f"rows{len(self.queries)}_{id(frame)}")
        writer = writer.option("checkpointLocation", checkpoint or grader.fresh_checkpoint())
        trigger: dict[str, Any] = {"processingTime": every} if every else {"availableNow": True}
        query = writer.trigger(**trigger).start()
        self.queries.append(query)
        return query

    def run(self, frame: DataFrame, sink: str = "memory", **given: Any) -> StreamingQuery:
        """Start a query and wait until it has taken in what is there."""
        query = self.start(frame, sink, **given)
        if "every" in given:
            query.processAllAvailable()
        else:
            query.awaitTermination()
        return query

    def clear(self) -> None:
        for query in self.queries:
            query.stop()


def by_minute(clicks: DataFrame) -> DataFrame:
    return clicks.groupBy(F.window("event_time", "1 minute"), "page").count()


def told(query: StreamingQuery) -> tuple[Reason, str]:
    """The reason and its text; the text is printed, for whoever reads a failed test."""
    reason = why(query)
    print(f"\n--- {reason.cause}\n{reason.text()}")
    return reason, reason.text()


def await_idle(query: StreamingQuery) -> None:
    """Wait until a query has run a micro-batch and waits for its next trigger."""
    while not query.recentProgress or query.status["isTriggerActive"]:
        assert query.isActive
        time.sleep(0.05)
