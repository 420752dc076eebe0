"""What lessons do, done once before a learner waits for it.

- `rehearse` plays a sample of each kind: the set-up learns from it what Java should have ready.
- `warm` plays what most checks do, while a learner reads.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from grader.errors import SetupError
from grader.judging.judge import judge
from grader.judging.play import Play
from grader.replay.kafka import Kafka
from grader.replay.replay import Answer, replay
from grader.runtime.setting_names import IN_ROCKSDB
from grader.scenario import Event, Exercise, Input, Scenario, variants_of

CLICKS = {"clicks": Input("id STRING, page STRING, at TIMESTAMP", "at")}
COUNTS = "page STRING, count LONG"
WARM_PLAYS = 3  # each in two variants; a fourth gains nothing


@dataclass(frozen=True)
class Piece:
    """A small exercise and an answer to it. `subject` is the query that a table is read from."""

    answer: Answer
    returns: str = "stream"
    output_mode: str = "append"
    outputs: list[str] = field(default_factory=list)
    takes: list[str] = field(default_factory=lambda: ["clicks"])
    criteria: list[str] = field(default_factory=lambda: ["rows"])
    conf: dict[str, str] = field(default_factory=dict)
    subject: Answer | None = None

    def exercise(self) -> Exercise:
        return Exercise(
            id="rehearsal",
            title="Rehearsal",
            answer="answer",
            takes=self.takes,
            inputs=CLICKS,
            returns=self.returns,
            output_mode=self.output_mode,
            outputs=self.outputs,
            criteria=self.criteria,
            conf=self.conf,
        )


def rehearse(spark: SparkSession, bootstrap_servers: str) -> None:
    """Play one piece of each kind that lessons have, RocksDB and both kinds of Python state among them."""
    for piece in (
        Piece(windows, criteria=["rows", "restart"]),
        Piece(windows, conf=IN_ROCKSDB),
        Piece(joined, conf=IN_ROCKSDB),
        Piece(joined),
        Piece(no_duplicates),
        Piece(keyed_in_pandas, output_mode="update"),
        Piece(keyed_in_rows, output_mode="update", conf=IN_ROCKSDB),
        Piece(routed, returns="writer", outputs=["routed"], takes=["clicks", "kafka"]),
        Piece(state_of, returns="table", takes=["spark", "checkpoint"], subject=windows),
    ):
        play(spark, Kafka(bootstrap_servers), piece)


def warm(spark: SparkSession, kafka: Kafka, wait_for_idle_time: Callable[[], None]) -> None:
    """Play what most checks do until it is quick, each play after waiting for idle time.

    It never raises: if Spark is stopped meanwhile, a warm-up is no longer needed.
    """
    with contextlib.suppress(Exception):
        for piece in (Piece(windows, criteria=["rows", "restart"]),) * WARM_PLAYS:
            for variant in variants_of(piece.exercise(), scenario()):
                wait_for_idle_time()
                replay(spark, kafka, piece.exercise(), piece.answer, variant)


def play(spark: SparkSession, kafka: Kafka, piece: Piece) -> None:
    """Play all variants of a piece and judge them; RuntimeError if the piece itself is broken.

    Raises SetupError if the machine is too busy for it.
    """
    exercise = piece.exercise()
    found = list(plays(spark, kafka, piece))
    judged = judge(exercise, found)
    if judged.status == "timeout":
        raise SetupError(
            "The machine is too busy: a small stream on Kafka and Spark did not end in time. Fix: end what else runs, "
            "then run the command again. What is downloaded is kept."
        )
    if not judged.passed:
        raise RuntimeError(f"rehearsal of {piece.answer}: {judged.criteria[-1].message}")


def plays(spark: SparkSession, kafka: Kafka, piece: Piece) -> Iterator[Play]:
    exercise = piece.exercise()
    expected = None
    for variant in variants_of(exercise, scenario()):
        done = replay(
            spark,
            kafka,
            exercise,
            piece.answer,
            variant,
            subject=piece.subject,
            look_into_state=expected is None,
        )
        expected = expected or done
        yield Play("public", variant, expected, done)


def scenario() -> Scenario:
    """Ten clicks, one of them twice, then one that moves time past them all."""
    clicks = [
        Event(
            1, "clicks", {"id": f"{n % 9}", "page": f"/{n % 3}", "at": f"2026-03-01T12:{n:02}:00Z"}
        )
        for n in range(10)
    ]
    return Scenario(
        [*clicks, Event(2, "clicks", {"id": "z", "page": "/", "at": "2026-03-01T14:00:00Z"})]
    )


def timed(clicks: DataFrame) -> DataFrame:
    return clicks.withWatermark("at", "10 seconds")


def windows(clicks: DataFrame) -> DataFrame:
    grouped = timed(clicks).groupBy(F.window("at", "5 minutes"), "page")
    return grouped.agg(F.count("*").alias("clicks"), F.max("at").alias("last"))


def no_duplicates(clicks: DataFrame) -> DataFrame:
    return timed(clicks).dropDuplicatesWithinWatermark(["id"])


def joined(clicks: DataFrame) -> DataFrame:
    left = timed(clicks).select(F.col("id").alias("left_id"), F.col("at").alias("left_at"))
    near = F.expr("left_id = id AND at BETWEEN left_at AND left_at + INTERVAL 1 MINUTE")
    return left.join(timed(clicks), near, "leftOuter").select("id", "left_at", "page")


def keyed_in_pandas(clicks: DataFrame) -> DataFrame:
    import pandas as pd

    def count(
        key: tuple[str], frames: Iterator[pd.DataFrame], state: Any
    ) -> Iterator[pd.DataFrame]:
        seen = (state.get[0] if state.exists else 0) + sum(len(frame) for frame in frames)
        state.update((seen,))
        yield pd.DataFrame({"page": [key[0]], "count": [seen]})

    keyed = clicks.groupBy("page")
    return keyed.applyInPandasWithState(count, COUNTS, "count LONG", "update", "NoTimeout")


def keyed_in_rows(clicks: DataFrame) -> DataFrame:
    from pyspark.sql import Row
    from pyspark.sql.streaming import StatefulProcessor

    class Counter(StatefulProcessor):  # type: ignore[misc]
        def init(self, handle: Any) -> None:
            self.count = handle.getValueState("count", "count LONG")

        def handleInputRows(self, key: Any, rows: Iterator[Row], timerValues: Any) -> Iterator[Row]:  # noqa: N802, N803
            seen = (self.count.get()[0] if self.count.exists() else 0) + sum(1 for _ in rows)
            self.count.update((seen,))
            yield Row(page=key[0], count=seen)

        def close(self) -> None:
            pass

    keyed = clicks.groupBy("page")
    return keyed.transformWithState(Counter(), COUNTS, "Update", "None")


def routed(clicks: DataFrame, kafka: Any) -> Any:
    """A writer whose foreachBatch joins what it gets, under adaptive execution, and writes to Kafka."""

    def write(rows: DataFrame, batch: int) -> None:
        rows.sparkSession.conf.set("spark.sql.adaptive.enabled", "true")
        pages = rows.groupBy("page").count()
        (
            rows.join(pages, "page")
            .selectExpr("to_json(struct(*)) AS value")
            .write.format("kafka")
            .option("kafka.bootstrap.servers", kafka.bootstrap_servers)
            .option("topic", kafka.topic("routed"))
            .save()
        )

    return clicks.writeStream.foreachBatch(write)


def state_of(spark: SparkSession, checkpoint: str) -> DataFrame:
    return spark.read.format("statestore").load(checkpoint).select("key.*", "value.*")
