"""An answer that is asked once more, with other settings."""

from dataclasses import replace

import pytest
from pyspark.sql import DataFrame, SparkSession

from grader.authoring.proof import Bench
from grader.judging.judge import judge
from grader.judging.play import Play
from grader.judging.verdict import Verdict
from grader.replay.replay import Answer, replay
from grader.sandbox.check_job import play_order, variant_of
from grader.scenario import Event, Exercise, ExerciseError, Fact, Input, Scenario, variants_of

TASK = Exercise(
    id="99.7",
    title="Long visits",
    answer="long",
    takes=["spark", "visits"],
    inputs={"visits": Input("page STRING, minutes INT")},
    criteria=["rows", "settings"],
    points=2,
    conf={"shop.limit": "3", "shop.cores": "4"},
    other_conf={"shop.limit": "2"},
)
VISITS = Scenario([Event(1, "visits", {"page": f"/{n}", "minutes": n}) for n in (1, 2, 3, 4)])
STORES = "spark.sql.shuffle.partitions"


def long(spark: SparkSession, visits: DataFrame) -> DataFrame:
    return visits.where(f"minutes > {spark.conf.get('shop.limit')}")


def long_written_down(spark: SparkSession, visits: DataFrame) -> DataFrame:
    return visits.where("minutes > 3")


def checked(bench: Bench, answer: Answer, right: Answer = long, task: Exercise = TASK) -> Verdict:
    plays = []
    for variant in variants_of(task, VISITS):
        ordered = variant_of(play_order(variant))  # as it comes to the process that plays
        expected, actual = (
            replay(bench.spark, bench.kafka, task, a, ordered) for a in (right, answer)
        )
        plays.append(Play("public", variant, expected.lasting(), actual))
    return judge(task, plays)


@pytest.mark.slow
def test_a_value_that_is_written_down_is_right_only_once(bench: Bench) -> None:
    assert checked(bench, long).passed
    verdict = checked(bench, long_written_down)
    assert (verdict.status, verdict.score) == ("failed", 1)
    rows, settings = verdict.criteria
    assert rows.passed and not settings.passed
    assert "`shop.limit` is 2 in place of 3" in settings.message
    assert "missing: page=/3" in settings.message
    assert 'spark.conf.get("shop.limit")' in settings.message


@pytest.mark.slow
def test_a_figure_that_follows_from_the_settings_is_asked_for_with_both(bench: Bench) -> None:
    fact = Fact("stores", "As many stores as asked for", "", conf=STORES, equals=3, other_equals=2)
    task = replace(TASK, facts=[fact])

    def stored(spark: SparkSession, visits: DataFrame) -> DataFrame:
        spark.conf.set(STORES, spark.conf.get("shop.limit") or "")
        return long(spark, visits)

    def always_three(spark: SparkSession, visits: DataFrame) -> DataFrame:
        spark.conf.set(STORES, "3")
        return long(spark, visits)

    assert checked(bench, stored, stored, task).passed
    said = {c.name: c for c in checked(bench, always_three, stored, task).criteria}
    assert said["rows"].passed and said["stores"].passed
    assert f"`{STORES}` is 3, expected 2." in said["settings"].message


@pytest.mark.parametrize(
    "wrong",
    [
        {"other_conf": {}},
        {"other_conf": {"shop.limit": "3"}},
        {"other_conf": {"shop.name": "4"}},
        {"criteria": ["rows"]},
    ],
)
def test_other_settings_have_other_values_and_a_criterion(wrong: dict[str, object]) -> None:
    assert Exercise.from_dict(TASK.to_dict()) == TASK
    with pytest.raises(ExerciseError, match="other_conf"):
        Exercise.from_dict(TASK.to_dict() | wrong)
