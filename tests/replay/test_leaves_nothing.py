"""A replay leaves nothing behind that would slow down the next thousand."""

import threading
import time
from dataclasses import replace

import pytest
from pyspark.sql import DataFrame
from pyspark.sql.streaming.readwriter import DataStreamWriter
from testkit.clicks import CLICKS, TASK, solution

from grader.authoring.proof import Bench
from grader.replay.replay import Answer, replay
from grader.runtime.spark_internals.context_internals import scala_context
from grader.runtime.spark_internals.session_internals import producer_pool
from grader.scenario import Exercise, Variant

pytestmark = pytest.mark.slow


def listeners(bench: Bench) -> int:
    return int(scala_context(bench.spark.sparkContext).listenerBus().listeners().size())


def to_nowhere(clicks: DataFrame) -> DataStreamWriter:
    return clicks.writeStream.foreachBatch(lambda rows, batch: None)


@pytest.mark.parametrize(
    ("task", "answer"),
    [(TASK, solution), (replace(TASK, returns="writer", outputs=["out"]), to_nowhere)],
    ids=["a DataFrame", "a writer with foreachBatch"],
)
def test_no_listener_and_no_thread_stay(bench: Bench, task: Exercise, answer: Answer):
    def play() -> None:
        done = replay(bench.spark, bench.kafka, task, answer, Variant("as_is", CLICKS))
        assert done.failure is None

    play()  # what a first replay starts may stay
    before = listeners(bench), threading.active_count()
    for _ in range(3):  # more than may be ending of the first
        play()
    deadline = time.monotonic() + 10  # threads end a moment after their connections
    while threading.active_count() > before[1] and time.monotonic() < deadline:
        time.sleep(0.01)
    assert listeners(bench) == before[0]
    assert threading.active_count() <= before[1]


def test_no_producer_outlives_its_topic(bench: Bench):
    """One that did would ask for it again, and so make it anew."""
    done = replay(bench.spark, bench.kafka, TASK, solution, Variant("as_is", CLICKS))
    assert done.failure is None
    assert producers(bench) == 0


def test_a_play_like_one_before_compiles_no_code(bench: Bench):
    """What a batch is marked with must not stand in the code that Spark compiles for it."""
    play = Variant("as_is", CLICKS)
    replay(bench.spark, bench.kafka, TASK, solution, play)
    before = compilations(bench)
    assert replay(bench.spark, bench.kafka, TASK, solution, play).failure is None
    assert compilations(bench) == before > 0


def compilations(bench: Bench) -> int:
    """How often this Spark has compiled generated code."""
    metrics = getattr(bench.spark._jvm.org.apache.spark.metrics.source, "CodegenMetrics$")
    return int(getattr(metrics, "MODULE$").METRIC_COMPILATION_TIME().getCount())


def producers(bench: Bench) -> int:
    """How many producers Spark keeps; its own clock takes those of other tests away as well."""
    return int(producer_pool(bench.spark).getAsMap().size())


def test_files_of_a_checkpoint_are_written_without_starting_a_process(bench: Bench):
    jvm = bench.spark._jvm
    conf = bench.spark._jsparkSession.sessionState().newHadoopConf()
    uri = jvm.java.net.URI.create("file:///")
    assert "BareLocal" in jvm.org.apache.hadoop.fs.FileSystem.get(uri, conf).getClass().getName()
    path = jvm.org.apache.hadoop.fs.Path("/tmp/none")
    checkpointing = jvm.org.apache.spark.sql.execution.streaming.checkpointing
    manager = checkpointing.CheckpointFileManager.create(path, conf)
    assert manager.getClass().getSimpleName().startswith(("FileSystemBased", "Checksum"))
