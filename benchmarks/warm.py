"""A warm play of every exercise's solution, against a minimal script in an equally warm session.

The minimal script feeds the same events by step and lets the same query run once for each step, from
Kafka to Kafka, with one producer for all; it reads nothing back, records and judges nothing.
"""

from __future__ import annotations

import statistics
import time
from pathlib import Path
from typing import Any

from pyspark.sql import DataFrame
from pyspark.sql.streaming.readwriter import DataStreamWriter
from table import Row, parser, progress, show

from grader.authoring.lesson_source import ExerciseSource, read_lessons
from grader.authoring.proof import Bench, open_bench
from grader.judging.judge import judge
from grader.judging.play import Play
from grader.replay.answer_sink import as_json
from grader.replay.exercise_kafka import ExerciseKafka
from grader.replay.play_session import new_session
from grader.replay.topic_stream import json_columns, topic_stream
from grader.runtime.scratch_folders import make_scratch, remove_scratch
from grader.scenario import Scenario, variants_of

ROOT = Path(__file__).resolve().parents[1]


def ours(bench: Bench, source: ExerciseSource) -> None:
    """One play as a check makes it, and its judgement."""
    variant = variants_of(source.exercise, source.public)[0]
    done = bench.record(source, source.solution, variant)
    assert done.failure is None, done.failure
    judge(source.exercise, [Play("public", variant, done, done)])


class Minimal:
    """The same query over the same steps, and nothing else."""

    def __init__(self, bench: Bench):
        self.spark, self.kafka = bench.spark, bench.kafka
        self.servers = bench.kafka.bootstrap_servers

    def __call__(self, source: ExerciseSource) -> None:
        exercise = source.exercise
        session = new_session(self.spark, exercise.conf)
        names = [*exercise.inputs, *exercise.outputs, "out"]
        counts = {name: given.partitions for name, given in exercise.inputs.items()}
        topics = self.kafka.unique_topics({name: counts.get(name, 1) for name in names})
        folder = make_scratch("checkpoint")
        checkpoint = str(folder / "checkpoint")
        given: dict[str, Any] = {"spark": session, "checkpoint": checkpoint}
        given["kafka"] = ExerciseKafka(self.servers, topics)
        for name, about in exercise.inputs.items():
            records = topic_stream(session, self.servers, topics[name])
            given[f"{name}.raw"] = records
            if name in exercise.takes or exercise.returns == "table":
                given[name] = json_columns(records, about.schema)
        looked_at = source.subject if exercise.returns == "table" else None
        query, takes = source.solution.function, exercise.takes
        if looked_at is not None:
            query, takes = looked_at.function, list(exercise.inputs)
        made = query(*(given[name] for name in takes))
        writer = made if isinstance(made, DataStreamWriter) else self.to_kafka(made, topics["out"])
        if not isinstance(made, DataStreamWriter):
            writer = writer.outputMode(exercise.output_mode)
        with self.kafka.line() as line:
            for step in range(1, source.public.steps + 1):
                self.feed(line, source.public, step, topics)
                run = writer.option("checkpointLocation", checkpoint).trigger(availableNow=True)
                run.start().awaitTermination()
                if looked_at is not None:
                    table = source.solution.function(*(given[name] for name in exercise.takes))
                    table.collect()
        remove_scratch(folder)
        self.kafka.delete_topics(topics.values())

    def to_kafka(self, frame: DataFrame, topic: str) -> DataStreamWriter:
        sink = as_json(frame).writeStream.format("kafka")
        return sink.option("kafka.bootstrap.servers", self.servers).option("topic", topic)

    def feed(self, line: Any, scenario: Scenario, step: int, topics: dict[str, str]) -> None:
        line.feed(scenario.of_step(step), topics)


def has_minimal(source: ExerciseSource) -> bool:
    """Whether its answer is a query that a script can run as it is, by the machine's clock."""
    exercise = source.exercise
    runs_alone = exercise.returns in ("stream", "writer", "table") and not exercise.upgrades_after
    return runs_alone and not source.public.clocks


def main() -> None:
    arguments = parser(times=3).parse_args()
    with open_bench() as bench:
        minimal = Minimal(bench)
        lessons = read_lessons(ROOT / "solutions")
        sources = [s for lesson in lessons for s in lesson.exercises if has_minimal(s)]
        mine, theirs = [], []
        for number, source in enumerate(sources, start=1):
            ours(bench, source)
            minimal(source)
            taken: dict[str, list[float]] = {"ours": [], "minimal": []}
            for turn in range(arguments.times):
                runs = [("ours", lambda: ours(bench, source)), ("minimal", lambda: minimal(source))]  # noqa: B023
                for name, run in runs if turn % 2 else runs[::-1]:
                    began = time.monotonic()
                    run()
                    taken[name].append(time.monotonic() - began)
            mine.append(statistics.median(taken["ours"]))
            theirs.append(statistics.median(taken["minimal"]))
            progress(
                f"[{number}/{len(sources)}] {source.exercise.id}: {mine[-1]:.2f} s, {theirs[-1]:.2f} s"
            )
    middle = statistics.median(a / b for a, b in zip(mine, theirs, strict=True))
    what = "warm play of an exercise, median of all"
    overhead = "the same, per exercise: ours over a minimal script (goal: 15 % more)"
    show(
        [
            Row(what, "s", statistics.median(mine), statistics.median(theirs)),
            Row(overhead, "times", middle, 1.0, 1.15),
        ],
        arguments,
    )


if __name__ == "__main__":
    main()
