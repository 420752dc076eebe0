"""What the plan shows more surely than the rows is said in words, and only where it is so."""

from collections.abc import Callable
from typing import Any

import pytest
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from grader.authoring.proof import Bench
from grader.judging.judge import judge
from grader.judging.play import Play
from grader.replay.replay import replay
from grader.scenario import Event, Exercise, Input, Scenario, Variant

pytestmark = pytest.mark.slow
CLICKS = Input("page STRING, at TIMESTAMP, sent TIMESTAMP", "at")


def event(step: int, minute: int, input: str = "clicks") -> Event:
    at, sent = f"2026-03-01T12:{minute:02d}:00Z", f"2026-03-01T12:{minute + 5:02d}:00Z"
    return Event(step, input, {"page": "home", "at": at, "sent": sent})


def counting(mode: str) -> Exercise:
    return Exercise("99.1", "t", "f", ["clicks"], {"clicks": CLICKS}, output_mode=mode, points=1)


def counts(clicks: DataFrame) -> DataFrame:
    late = clicks.withWatermark("at", "1 minute")
    return late.groupBy(F.window("at", "5 minutes")).agg(F.count("*").alias("n"))


def without(clicks: DataFrame) -> DataFrame:
    return clicks.groupBy(F.window("at", "5 minutes")).agg((F.count("*") + 1).alias("n"))


def on_another(clicks: DataFrame) -> DataFrame:
    late = clicks.withWatermark("sent", "1 minute")
    return late.groupBy(F.window("sent", "5 minutes")).agg(F.count("*").alias("n"))


def afterwards(clicks: DataFrame) -> DataFrame:
    grouped = clicks.groupBy(F.window("at", "5 minutes")).agg((F.count("*") + 1).alias("n"))
    late = grouped.withColumn("end", F.col("window.end")).withWatermark("end", "1 minute")
    return late.select("window", "n")


def once_more(clicks: DataFrame) -> DataFrame:
    ended = counts(clicks).withColumn("end", F.col("window.end"))
    return ended.withWatermark("end", "1 minute").select("window", "n")


def off_by_one(clicks: DataFrame) -> DataFrame:
    return counts(clicks).withColumn("n", F.col("n") + 1)


PAIRS = Exercise("99.2", "t", "f", ["left", "right"], {"left": CLICKS, "right": CLICKS}, points=1)


def paired(left: DataFrame, right: DataFrame, within: bool = True) -> DataFrame:
    left = left.withWatermark("at", "1 minute")
    right = right.withWatermark("at", "1 minute").select("page", F.col("at").alias("other"))
    near = F.expr("other BETWEEN at AND at + INTERVAL 2 MINUTES")
    same = left["page"] == right["page"]
    joined = left.join(right, same & near if within else same)
    return joined.select(left["page"], "at", "other")


def unbounded(left: DataFrame, right: DataFrame) -> DataFrame:
    return paired(left, right, within=False)


def bounded_behind(left: DataFrame, right: DataFrame) -> DataFrame:
    """Its limit stands in a filter behind the join, from where Spark takes it into the condition."""
    near = "other BETWEEN at AND at + INTERVAL 2 MINUTES AND minute(at) = 1"
    return unbounded(left, right).where(near)


SENDING = Exercise(
    "99.3", "t", "f", ["clicks", "kafka"], {"clicks": CLICKS}, returns="writer", outputs=["out"],
    points=1,
)  # fmt: skip


def sent(clicks: DataFrame, kafka: Any, mode: str = "append", plus: int = 0) -> Any:
    n = F.to_json(F.struct((F.col("n") + plus).alias("n")))
    writer = counts(clicks).select(n.alias("value")).writeStream.outputMode(mode).format("kafka")
    writer = writer.option("kafka.bootstrap.servers", kafka.bootstrap_servers)
    return writer.option("topic", kafka.topic("out"))


def updating(clicks: DataFrame, kafka: Any) -> Any:
    return sent(clicks, kafka, "update", 1)


@pytest.mark.parametrize(
    ("task", "solution", "answer", "named"),
    [
        (counting("update"), counts, without, "plan.no_watermark"),
        (counting("append"), counts, on_another, "plan.watermark_column"),
        (counting("update"), counts, afterwards, "plan.watermark_too_late"),
        (counting("append"), counts, once_more, "plan.second_watermark"),
        (PAIRS, paired, unbounded, "plan.unbounded_join"),
        (PAIRS, paired, bounded_behind, None),
        (SENDING, sent, updating, "plan.output_mode"),
        (counting("append"), counts, off_by_one, None),
        (counting("append"), counts, counts, None),
    ],
)
def test_the_plan_names_what_it_shows(
    bench: Bench,
    task: Exercise,
    solution: Callable[..., Any],
    answer: Callable[..., Any],
    named: str | None,
):
    inputs = list(task.inputs)
    events = Scenario(
        [
            event(step, minute, i)
            for step, minute in ((1, 1), (1, 4), (2, 9), (3, 40))
            for i in inputs
        ]
    )
    variant = Variant("as_is", events)
    expected, actual = (
        replay(bench.spark, bench.kafka, task, f, variant) for f in (solution, answer)
    )
    assert expected.failure is None and actual.failure is None, (expected.failure, actual.failure)
    verdict = judge(task, [Play("public", variant, expected, actual)])
    assert verdict.passed is (answer is solution)
    assert (verdict.diagnosis.id if verdict.diagnosis else None) == named
