"""One golden verdict for each kind of bad answer, made by real runs and compared to the letter.

GOLDEN_UPDATE=1 writes them anew: look at the difference before you commit it.
"""

import json
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from testkit.clicks import CLICKS, TASK, solution, task

from grader.authoring.proof import Bench
from grader.judging.judge import judge
from grader.judging.play import Play
from grader.replay.cpu_time import CpuTime
from grader.replay.replay import replay
from grader.scenario import Exercise, Fact, Variant
from grader.scenario.recording import Recording

pytestmark = pytest.mark.slow
GOLDEN = Path(__file__).parent / "golden"


def counted_by_other_windows(clicks: DataFrame) -> DataFrame:
    return (
        clicks.withWatermark("event_time", "10 seconds")
        .groupBy(F.window("event_time", "1 minute"), "page")
        .agg((F.count("*") + 1).alias("clicks"))
    )


def told_too_late(clicks: DataFrame) -> DataFrame:
    return (
        clicks.withWatermark("event_time", "75 seconds")
        .groupBy(F.window("event_time", "1 minute"), "page")
        .agg(F.sum(F.when(F.col("event_time") != F.lit("2026-03-01T12:00:30Z"), 1)).alias("clicks"))
    )


def late_row_kept(clicks: DataFrame) -> DataFrame:
    return (
        clicks.withWatermark("event_time", "3 minutes")
        .groupBy(F.window("event_time", "1 minute"), "page")
        .agg(F.count("*").alias("clicks"))
    )


def never_forgets(clicks: DataFrame) -> DataFrame:
    return clicks.dropDuplicates(["page", "event_time"]).select("page")


def no_watermark(clicks: DataFrame) -> DataFrame:
    return clicks.groupBy(F.window("event_time", "1 minute"), "page").count()


def udf_raises(clicks: DataFrame) -> DataFrame:
    price = F.udf(lambda page: {"home": 1}[page], "int")
    return clicks.select("page", price("page").alias("price"))


def other_columns(clicks: DataFrame) -> DataFrame:
    return clicks.select("page", F.col("event_time").cast("string").alias("clicks"))


def returns_nothing(clicks: DataFrame) -> None:
    clicks.writeStream.format("console")


def starts_it_itself(clicks: DataFrame) -> Any:
    return clicks.writeStream.format("memory").queryName("mine").start()


def starts_it_without_a_checkpoint(clicks: DataFrame) -> Any:
    writer = clicks.select("page").toDF("value").writeStream.format("kafka")
    return writer.option("kafka.bootstrap.servers", "localhost:1").option("topic", "t").start()


def waits_for_the_end(clicks: DataFrame) -> DataFrame:
    query = clicks.writeStream.format("memory").queryName("waiting").start()
    query.awaitTermination()
    return clicks


def asks_a_stream(clicks: DataFrame) -> DataFrame:
    return clicks if clicks.isEmpty() else clicks.select("page")


def misspelt_name(clicks: DataFrame) -> DataFrame:
    return clicks.select({"page": "page"}["pgae"])


def never_ends(clicks: DataFrame) -> DataFrame:
    while True:
        pass


def udf_never_ends(clicks: DataFrame) -> DataFrame:
    import time

    wait = F.udf(lambda page: time.sleep(10_000), "string")
    return clicks.select(wait("page").alias("page"))


def still_the_stub(clicks: DataFrame) -> DataFrame:
    raise NotImplementedError("your code here")


def no_steps() -> list[dict[str, str]]:
    return [{"page": "home", "event_time": "12:00:05"}]


def first_of_each_page(clicks: DataFrame) -> DataFrame:
    return (
        clicks.withWatermark("event_time", "10 seconds")
        .dropDuplicatesWithinWatermark(["page"])
        .select("page")
    )


Answer = Callable[..., Any]
DROPPED = Fact("one_dropped", "One row is dropped", "Look again.", run="dropped", equals=1)
EVENTS = task(returns="events", takes=[], criteria=[], facts=[DROPPED])
KINDS: dict[str, tuple[Answer, Exercise, Answer]] = {
    "wrong_rows": (counted_by_other_windows, TASK, solution),
    "wrong_step": (told_too_late, task(criteria=["rows", "step"]), solution),
    "late_row_kept": (late_row_kept, TASK, solution),
    "unbounded_state": (
        never_forgets,
        task(criteria=["rows", "state"]),
        lambda c: c.select("page"),
    ),
    "plan_exception": (no_watermark, TASK, solution),
    "udf_exception": (udf_raises, TASK, solution),
    "wrong_schema": (other_columns, TASK, solution),
    "no_query": (returns_nothing, TASK, solution),
    "already_started": (starts_it_itself, TASK, solution),
    "spare_column": (lambda c: solution(c).withColumn("more", F.lit(1)), TASK, solution),
    "starts_without_a_checkpoint": (starts_it_without_a_checkpoint, TASK, solution),
    "waits_for_the_end": (waits_for_the_end, TASK, solution),
    "action_on_a_stream": (asks_a_stream, TASK, solution),
    "python_exception": (misspelt_name, TASK, solution),
    "time_out": (never_ends, task(timeout=5), solution),
    "udf_time_out": (udf_never_ends, task(timeout=8), solution),
    "not_attempted": (still_the_stub, TASK, solution),
    "no_events": (no_steps, EVENTS, solution),
}


@pytest.fixture(scope="module")
def expected(bench: Bench) -> Callable[[Answer], Recording]:
    known: dict[Answer, Recording] = {}

    def of(right: Answer) -> Recording:
        if right not in known:
            known[right] = replay(bench.spark, bench.kafka, TASK, right, Variant("as_is", CLICKS))
            assert known[right].failure is None
        return known[right]

    return of


@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_of_bad_answer_gets_its_own_verdict(
    kind: str,
    bench: Bench,
    expected: Callable[[Answer], Recording],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(CpuTime, "shortage_since", lambda *_: {})  # however busy this machine is
    answer, exercise, right = KINDS[kind]
    variant = Variant("as_is", CLICKS)
    recording = replay(bench.spark, bench.kafka, exercise, answer, variant)
    verdict = judge(exercise, [Play("public", variant, expected(right), recording)])
    shown = {**verdict.to_dict(), "seconds": None}
    text = json.dumps(shown, indent=1, ensure_ascii=False) + "\n"
    text = re.sub(r'File \\"[^"]*\\", line \d+', 'File \\"answer.py\\", line 1', text)
    path = GOLDEN / f"{kind}.json"
    if os.environ.get("GOLDEN_UPDATE"):
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text(encoding="utf-8")


def test_an_answer_that_waits_for_ever_is_told_so_at_once(bench: Bench) -> None:
    variant = Variant("as_is", CLICKS)
    recording = replay(bench.spark, bench.kafka, TASK, waits_for_the_end, variant)
    assert recording.failure is not None and recording.failure.kind == "already_started"
    assert not bench.spark.streams.active


def test_the_session_stays_usable_after_a_query_that_never_ended(
    bench: Bench, expected: Callable[[Answer], Recording]
) -> None:
    variant = Variant("as_is", CLICKS)
    for endless in (never_ends, udf_never_ends):
        stuck = replay(bench.spark, bench.kafka, task(timeout=5), endless, variant)
        assert stuck.failure is not None
        assert stuck.failure.kind == "timeout"
        again = replay(bench.spark, bench.kafka, TASK, solution, variant)
        assert [b.rows for b in again.batches] == [b.rows for b in expected(solution).batches]
    assert not bench.spark.streams.active
