"""What an answer may do beside its task, and what it is told when Spark fails in the middle."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pandas as pd
import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from grader.authoring.proof import Bench
from grader.replay.replay import replay
from grader.scenario import Event, Exercise, Input, Scenario, Variant
from grader.scenario.exercise import Fact
from grader.scenario.recording import Batch, Recording

pytestmark = pytest.mark.slow

TASK = Exercise(
    id="kinds",
    title="Purchases",
    answer="purchases",
    takes=["clicks"],
    inputs={"clicks": Input(schema="page STRING, bought BOOLEAN")},
    points=1,
)
CLICKS = Scenario(
    [Event(1, "clicks", {"page": page, "bought": page != "home"}) for page in ("home", "hats")]
)


def played(bench: Bench, answer: Callable[..., Any]) -> Recording:
    return replay(bench.spark, bench.kafka, TASK, answer, Variant("as_is", CLICKS))


def pages(recording: Recording) -> list[str]:
    assert recording.failure is None, recording.failure
    return [page for batch in recording.batches for page in pages_of(batch)]


def pages_of(batch: Batch) -> list[str]:
    return [row["page"] for row in batch.rows]


def test_sql_on_the_notebooks_own_session_finds_the_views_of_the_answer(bench: Bench) -> None:
    spark = bench.spark

    def by_view(clicks: DataFrame) -> DataFrame:
        clicks.createOrReplaceTempView("clicks")
        return spark.sql("SELECT page FROM clicks WHERE bought")

    def by_parameter(clicks: DataFrame) -> DataFrame:
        return spark.sql("SELECT page FROM {c} WHERE bought", c=clicks)

    assert pages(played(bench, by_view)) == ["hats"]
    assert pages(played(bench, by_parameter)) == ["hats"]


def test_the_session_that_spark_hands_out_is_the_one_of_the_answer(bench: Bench) -> None:
    """Also to code that builds one: its settings stay in it."""
    before, setting = (
        SparkSession.getActiveSession(),
        "spark.sql.streaming.maxBatchesToRetainInMemory",
    )

    def by_active(clicks: DataFrame) -> DataFrame:
        clicks.createOrReplaceTempView("clicks")
        return SparkSession.active().sql("SELECT page FROM clicks WHERE bought")

    def by_builder(clicks: DataFrame) -> DataFrame:
        clicks.createOrReplaceTempView("clicks")
        built = SparkSession.builder.config(setting, "7").getOrCreate()
        assert built.conf.get(setting) == "7"
        return built.sql("SELECT page FROM clicks WHERE bought")

    for answer in (by_active, by_builder):
        assert pages(played(bench, answer)) == ["hats"]
    assert bench.spark.conf.get(setting) != "7"
    assert SparkSession.getActiveSession() is before


def test_a_session_does_not_outlive_the_program(bench: Bench) -> None:
    """A view that tells the run after a kill what was before it: a new process has none."""

    def counts_its_lives(clicks: DataFrame) -> DataFrame:
        spark = clicks.sparkSession
        lives = 1 + (spark.table("lives").first()[0] if spark.catalog.tableExists("lives") else 0)  # type: ignore[index]
        spark.createDataFrame([(lives,)], "lives INT").createOrReplaceTempView("lives")
        return clicks.select(F.lit(lives).alias("page"))

    recording = replay(
        bench.spark, bench.kafka, TASK, counts_its_lives, Variant("crash", CLICKS, 1)
    )
    assert set(pages(recording)) == {1}
    assert any(batch.rerun for batch in recording.batches)


def test_rows_find_their_batch_where_the_query_keeps_few_entries_of_its_log(bench: Bench) -> None:
    def forgetful(clicks: DataFrame) -> DataFrame:
        clicks.sparkSession.conf.set("spark.sql.streaming.minBatchesToRetain", 1)
        return clicks.select("page")

    steps = [Event(n, "clicks", {"page": f"page {n}", "bought": True}) for n in range(1, 6)]
    recording = replay(bench.spark, bench.kafka, TASK, forgetful, Variant("as_is", Scenario(steps)))
    assert [(batch.step, pages_of(batch)) for batch in recording.batches] == [
        (n, [f"page {n}"]) for n in range(1, 6)
    ]


def test_a_table_of_pandas_is_called_so(bench: Bench) -> None:
    recording = played(bench, lambda clicks: pd.DataFrame({"page": ["hats"]}))
    assert recording.failure is not None
    assert recording.failure.fields == {"got": "pandas DataFrame", "wanted": "DataFrame"}


def test_a_setting_that_was_taken_back_is_the_default(bench: Bench) -> None:
    """What a fact asks for is what holds, given or not."""
    name = "spark.sql.streaming.statefulOperator.checkCorrectness.enabled"
    fact = Fact("guard", "on", "leave it on", conf=name, equals="true")
    task = replace(TASK, conf={name: "false"}, facts=[fact])

    def taken_back(clicks: DataFrame) -> DataFrame:
        clicks.sparkSession.conf.unset(name)
        return clicks.select("page")

    recording = replay(bench.spark, bench.kafka, task, taken_back, Variant("as_is", CLICKS))
    assert recording.conf[name] == "true"


@pytest.mark.parametrize(
    ("column", "condition", "words"),
    [
        ("CAST(page AS INT)", "CAST_INVALID_INPUT", "cannot be cast to"),
        ("1 / (length(page) - 4)", "DIVIDE_BY_ZERO", "Division by zero"),
    ],
)
def test_an_error_of_sparks_own_is_not_blamed_on_python_code(
    bench: Bench, column: str, condition: str, words: str
) -> None:
    failure = played(bench, lambda clicks: clicks.select(F.expr(column))).failure
    assert failure is not None
    assert (failure.kind, failure.condition) == ("query", condition)
    assert words in failure.message and "^^^" not in failure.message


def test_an_error_in_a_python_function_is_told_by_its_first_line(bench: Bench) -> None:
    def fails(page: str) -> str:
        raise ValueError(f"no {page}\nat all")

    failure = played(bench, lambda clicks: clicks.select(F.udf(fails)("page"))).failure
    assert failure is not None
    assert (failure.kind, failure.message) == ("udf", "ValueError: no home")
    assert "in fails" in failure.detail and "at all" in failure.detail


def test_a_call_of_exit_is_a_failure(bench: Bench) -> None:
    def leaves(clicks: DataFrame) -> DataFrame:
        raise SystemExit(3)

    failure = played(bench, leaves).failure
    assert failure is not None
    assert failure.kind == "plan" and "SystemExit" in failure.message


def test_rows_come_back_by_the_batch_that_gave_them_out(bench: Bench) -> None:
    later = Scenario([*CLICKS.events, Event(2, "clicks", {"page": "tea", "bought": True})])
    for crash_after in (None, 1):
        variant = Variant("crash", later, crash_after)
        done = replay(bench.spark, bench.kafka, TASK, lambda clicks: clicks.select("page"), variant)
        found = [(b.step, b.rerun, [row["page"] for row in b.rows]) for b in done.batches]
        again = [(1, True, ["hats", "home"])] if crash_after else []
        assert found == [(1, False, ["hats", "home"]), *again, (2, False, ["tea"])]


def test_a_query_started_beside_the_returned_frame_is_named(bench: Bench) -> None:
    def starts(clicks: DataFrame) -> DataFrame:
        clicks.writeStream.format("noop").start()
        return clicks

    failure = played(bench, starts).failure
    assert failure is not None
    assert failure.kind == "already_started"


def test_a_run_without_any_time_left_is_a_timeout_wherever_it_ends(bench: Bench) -> None:
    late = replace(TASK, timeout=0.0)
    recording = replay(
        bench.spark, bench.kafka, late, lambda clicks: clicks, Variant("as_is", CLICKS)
    )
    assert recording.failure is not None
    assert (recording.failure.kind, recording.failure.condition) == ("timeout", None)


def test_what_foreach_batch_computes_twice_is_kept_once(bench: Bench) -> None:
    """Spark's progress adds up the rows in state, and the rows dropped, of both computations."""
    task = replace(TASK, takes=["clicks", "kafka"], returns="writer", outputs=["counts"])
    clicks = [
        Event(step, "clicks", {"page": page, "bought": page != "home"})
        for step, page in [(1, "home"), (1, "hats"), (1, "hats"), (2, "shoes")]
    ]

    def counts(clicks: DataFrame, kafka: Any, actions: int) -> Any:
        def write(batch: DataFrame, batch_id: int) -> None:
            for _ in range(actions):
                batch.count()
            value = batch.select(F.to_json(F.struct("*")).alias("value")).write.format("kafka")
            servers = value.option("kafka.bootstrap.servers", kafka.bootstrap_servers)
            servers.option("topic", kafka.topic("counts")).save()

        return clicks.groupBy("page").count().writeStream.outputMode("update").foreachBatch(write)

    def kept(actions: int) -> list[int]:
        variant = Variant("as_is", Scenario(clicks))
        recording = replay(
            bench.spark,
            bench.kafka,
            task,
            lambda clicks, kafka: counts(clicks, kafka, actions),
            variant,
        )
        assert recording.failure is None, recording.failure
        return [recording.state_after(step) for step in (1, 2)]

    assert kept(0) == kept(1) == kept(2) == [2, 3]


def test_what_a_task_of_java_failed_of_is_told(bench: Bench) -> None:
    """A record that Kafka does not take, written by the query itself and by a function of its batches."""
    task = replace(TASK, takes=["clicks", "kafka"], returns="writer", outputs=["long"])

    def written(frame: Any, kafka: Any) -> Any:
        made = frame.format("kafka").option("kafka.bootstrap.servers", kafka.bootstrap_servers)
        return made.option("topic", kafka.topic("long"))

    def by_query(clicks: DataFrame, kafka: Any) -> Any:
        return written(clicks.select(F.repeat("page", 500_000).alias("value")).writeStream, kafka)

    def by_batch(clicks: DataFrame, kafka: Any) -> Any:
        def write(batch: DataFrame, batch_id: int) -> None:
            written(batch.select(F.repeat("page", 500_000).alias("value")).write, kafka).save()

        return clicks.writeStream.foreachBatch(write)

    for answer, kind in ((by_query, "query"), (by_batch, "udf")):
        recording = replay(bench.spark, bench.kafka, task, answer, Variant("as_is", CLICKS))
        assert recording.failure is not None
        assert recording.failure.kind == kind
        assert recording.failure.message.startswith("The message is 2000088 bytes when serialized")


def test_the_print_of_a_plan_is_the_same_for_the_same_sql(bench: Bench) -> None:
    def named(clicks: DataFrame) -> DataFrame:
        bought = "WITH bought AS (SELECT page FROM {c} WHERE bought) SELECT * FROM bought"
        return clicks.sparkSession.sql(bought, c=clicks)

    first, second = (played(bench, named).plan for _ in range(2))
    assert first.print and first.print == second.print
