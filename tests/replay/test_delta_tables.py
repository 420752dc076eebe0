"""Tables in a play: fed by events, written by answers, read back after each step and after a kill."""

import shutil
from collections.abc import Callable
from typing import Any

import pytest
from delta.tables import DeltaTable
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from grader.authoring.proof import Bench
from grader.judging.facts import judge_fact
from grader.replay.replay import replay
from grader.scenario import Event, Exercise, Fact, Input, Scenario, Variant
from grader.scenario.recording import Recording

pytestmark = pytest.mark.slow

CLICKS = Input(schema="page STRING, event_time TIMESTAMP", event_time="event_time")
COUNTS = Input(schema="page STRING, clicks BIGINT", table=True)
PRICES = Input(
    schema="item STRING, price INT",
    table=True,
    key="item",
    properties={"delta.enableChangeDataFeed": "true"},
)
WRITER = Exercise.from_dict(
    {
        "id": "tables",
        "title": "Clicks by page, in a table",
        "answer": "clicks_by_page",
        "takes": ["clicks", "counts"],
        "inputs": {"clicks": vars(CLICKS), "counts": vars(COUNTS)},
        "returns": "table_writer",
        "writes_to": "counts",
        "criteria": ["rows", "exactly_once"],
        "facts": [{"name": "once", "title": "", "fix": "", "versions": "counts", "equals": 2}],
        "points": 2,
    }
)
STEPS = Scenario(
    [
        Event(step, "clicks", {"page": page, "event_time": f"2026-03-01T10:0{step}:00Z"})
        for step, page in ((1, "home"), (1, "hats"), (1, "home"), (2, "hats"))
    ]
)
KILL = Variant("crash", STEPS, crash_after=1)


def played(bench: Bench, task: Exercise, answer: Callable[..., Any], variant: Variant) -> Recording:
    recording = replay(bench.spark, bench.kafka, task, answer, variant)
    assert recording.failure is None, recording.failure
    return recording


def rows_after(recording: Recording, step: int) -> list[tuple[Any, ...]]:
    return [tuple(row.values()) for row in recording.of_step(step)[-1].rows]


def merge_counts(clicks: DataFrame, counts: str) -> Any:
    def merge(batch: DataFrame, number: int) -> None:
        table = DeltaTable.forPath(batch.sparkSession, counts)
        matching = table.alias("old").merge(batch.alias("new"), "old.page = new.page")
        matching.whenMatchedUpdateAll().whenNotMatchedInsertAll().execute()

    by_page = clicks.groupBy("page").agg(F.count("*").alias("clicks"))
    return by_page.writeStream.outputMode("update").foreachBatch(merge)


def test_a_table_holds_after_each_step_what_the_answer_merged(bench: Bench) -> None:
    for variant in (Variant("as_is", STEPS), KILL):
        recording = played(bench, WRITER, merge_counts, variant)
        assert rows_after(recording, 1) == [("hats", 1), ("home", 2)]
        assert rows_after(recording, 2) == [("hats", 2), ("home", 2)]
    versions = [(v["step"], v["operation"], v["rows"]) for v in recording.versions["counts"]]
    first, second = (1, "MERGE", 2), (2, "MERGE", 2)
    assert versions == [(0, "CREATE TABLE", 0), first, first, second]  # one of them ran again


def test_after_a_kill_the_append_sink_repeats_no_row_and_foreach_batch_repeats_all(
    bench: Bench,
) -> None:
    def rows(clicks: DataFrame) -> DataFrame:
        return clicks.select("page", F.lit(1).cast("bigint").alias("clicks"))

    def by_sink(clicks: DataFrame, counts: str) -> Any:
        return rows(clicks).writeStream.format("delta").option("path", counts)

    def by_function(clicks: DataFrame, counts: str) -> Any:
        def append(batch: DataFrame, number: int) -> None:
            batch.write.format("delta").mode("append").save(counts)

        return rows(clicks).writeStream.foreachBatch(append)

    right = played(bench, WRITER, by_sink, KILL)
    assert [len(rows_after(right, step)) for step in (1, 2)] == [3, 4]
    wrong = played(bench, WRITER, by_function, KILL)
    assert [len(rows_after(wrong, step)) for step in (1, 2)] == [6, 7]
    once = WRITER.facts[0]
    assert judge_fact(once, right).passed and not judge_fact(once, wrong).passed
    appends = Fact(
        "n", "", "", versions="counts", where={"operation": "STREAMING UPDATE"}, equals=2
    )
    assert judge_fact(appends, right).passed


def test_a_table_is_a_source_whose_steps_are_commits(bench: Bench) -> None:
    task = Exercise.from_dict(
        {
            "id": "source",
            "title": "Changes of prices",
            "answer": "changes",
            "takes": ["spark", "prices"],
            "inputs": {"prices": vars(PRICES)},
        }
    )
    events = [
        Event(1, "prices", {"item": "tea", "price": 3}),
        Event(1, "prices", {"item": "jam", "price": 4}),
        Event(2, "prices", {"item": "tea", "price": 5}),
        Event(2, "prices", None, key="jam"),
    ]

    def changes(spark: SparkSession, prices: str) -> DataFrame:
        feed = spark.readStream.format("delta").option("readChangeFeed", True)
        return (
            feed.option("startingVersion", 0).load(prices).select("item", "price", "_change_type")
        )

    recording = played(bench, task, changes, Variant("as_is", Scenario(events)))
    assert rows_after(recording, 1) == [("jam", 4, "insert"), ("tea", 3, "insert")]
    assert rows_after(recording, 2) == [
        ("jam", 4, "delete"),
        ("tea", 5, "update_postimage"),
        ("tea", 3, "update_preimage"),
    ]


def test_what_is_wrong_with_a_table_is_said() -> None:
    def fault(**changed: Any) -> str:
        with pytest.raises(ValueError) as refused:
            Exercise.from_dict({**WRITER.to_dict(), **changed})
        return str(refused.value)

    assert "needs `writes_to`" in fault(writes_to=None)
    assert "'clicks' is no table" in fault(writes_to="clicks")
    keyed = {**vars(CLICKS), "key": "page"}
    assert "go with `table = true`" in fault(inputs={"clicks": keyed, "counts": vars(COUNTS)})


def test_a_table_that_the_answer_took_away_is_its_failure(bench: Bench) -> None:
    def removed(clicks: DataFrame, counts: str) -> Any:
        def remove(batch: DataFrame, number: int) -> None:
            shutil.rmtree(counts)

        return clicks.writeStream.foreachBatch(remove)

    failure = replay(bench.spark, bench.kafka, WRITER, removed, Variant("as_is", STEPS)).failure
    assert failure is not None
    assert (failure.kind, failure.step) == ("query", 1), failure
    assert failure.condition is not None, failure
