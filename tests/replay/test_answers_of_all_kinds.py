"""What an answer may do beside its task, and what it is told when Spark fails in the middle."""

from collections.abc import Callable
from typing import Any

import pytest
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from grader.authoring.prove import Bench
from grader.replay.recording import Recording
from grader.replay.replay import replay
from grader.scenario import Event, Exercise, Input, Scenario, Variant

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
    return [row["page"] for batch in recording.batches for row in batch.rows]


def test_sql_on_the_notebooks_own_session_finds_the_views_of_the_answer(bench: Bench) -> None:
    spark = bench.spark

    def by_view(clicks: DataFrame) -> DataFrame:
        clicks.createOrReplaceTempView("clicks")
        return spark.sql("SELECT page FROM clicks WHERE bought")

    def by_parameter(clicks: DataFrame) -> DataFrame:
        return spark.sql("SELECT page FROM {c} WHERE bought", c=clicks)

    assert pages(played(bench, by_view)) == ["hats"]
    assert pages(played(bench, by_parameter)) == ["hats"]


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


def test_a_column_that_no_sink_takes_and_a_call_of_exit_are_failures(bench: Bench) -> None:
    def times(clicks: DataFrame) -> DataFrame:
        return clicks.select(F.expr("TIME '12:00:00'"))

    def leaves(clicks: DataFrame) -> DataFrame:
        raise SystemExit(3)

    for answer, word in ((times, "TIME"), (leaves, "SystemExit")):
        failure = played(bench, answer).failure
        assert failure is not None
        assert failure.kind == "plan" and word in failure.message


def test_a_query_started_beside_the_returned_frame_is_named(bench: Bench) -> None:
    def starts(clicks: DataFrame) -> DataFrame:
        clicks.writeStream.format("noop").start()
        return clicks

    failure = played(bench, starts).failure
    assert failure is not None
    assert failure.kind == "already_started"
