"""A topic of clicks on the shared broker, and short ways to queries on it that raise an error."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pytest
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from grader.authoring.proof import Bench
from grader.judging.wording.failure_text import failure_text
from grader.replay.failures import failure_of
from grader.runtime.scratch_folders import make_scratch

SCHEMA = "page STRING, spent INT, at TIMESTAMP"
CLICK = {"page": "/home", "spent": 1, "at": "2026-03-01T12:00:00Z"}


@dataclass
class Shop:
    """A topic of clicks, and the short way to a query on it."""

    bench: Bench
    topics: list[str] = field(default_factory=list)

    def topic(self, *values: Any) -> str:
        self.topics.append(self.bench.kafka.unique_topic("errors"))
        self.bench.kafka.send(self.topics[-1], values or [CLICK])
        return self.topics[-1]

    def raw(self, topic: str | None, **options: str) -> DataFrame:
        reader = self.bench.spark.readStream.format("kafka").options(
            **{"startingOffsets": "earliest", "kafka.fetch.max.wait.ms": "10", **options}
        )
        reader = reader.option("kafka.bootstrap.servers", self.bench.kafka.bootstrap_servers)
        return (reader if topic is None else reader.option("subscribe", topic)).load()

    def clicks(self, topic: str | None = None, *, late: bool = True) -> DataFrame:
        parsed = F.from_json(F.col("value").cast("string"), SCHEMA).alias("click")
        frame = self.raw(topic or self.topic()).select(parsed).select("click.*")
        return frame.withWatermark("at", "1 minute") if late else frame

    def counts(self, topic: str | None = None) -> DataFrame:
        return self.clicks(topic).groupBy(F.window("at", "5 minutes"), "page").count()

    def ads(self, *, late: bool = True) -> DataFrame:
        return self.clicks(late=late).select(F.col("page").alias("ad"), F.col("at").alias("shown"))

    def run(
        self,
        frame: DataFrame,
        checkpoint: str | None = None,
        mode: str = "append",
        sink: str = "noop",
        **options: Any,
    ) -> None:
        options |= {"checkpointLocation": checkpoint or fresh()}
        writer = frame.writeStream.outputMode(mode).format(sink).options(**options)
        writer.trigger(availableNow=True).start().awaitTermination(60)

    def to_kafka(self, frame: DataFrame, **options: str) -> None:
        self.run(
            frame,
            sink="kafka",
            **{"kafka.bootstrap.servers": self.bench.kafka.bootstrap_servers, **options},
        )

    def then(self, first: Callable[[str], DataFrame], second: Callable[[str], DataFrame]) -> None:
        """Run two queries on one checkpoint and one topic."""
        topic, checkpoint = self.topic(), fresh()
        self.run(first(topic), checkpoint)
        self.bench.kafka.send(topic, [CLICK])
        self.run(second(topic), checkpoint)


def fresh() -> str:
    return str(make_scratch("checkpoint") / "checkpoint")


def raised(action: Callable[[], Any], *, own_writer: bool | None = None) -> str:
    """What is said of the exception of an action in a learner's code."""
    with pytest.raises(Exception) as caught:
        action()
    failure = failure_of(caught.value, phase="plan")
    failure.own_writer = own_writer
    return failure_text(failure)
