"""An answer that takes over the checkpoint of a query that has been running."""

import pytest
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from grader.authoring.proof import Bench
from grader.replay.replay import Answer, replay
from grader.scenario import Event, Exercise, Input, Scenario, Variant, variants_of
from grader.scenario.exercise import ExerciseError
from grader.scenario.recording import Recording

TASK = Exercise(
    id="99.5",
    title="Another version",
    answer="counts",
    takes=["clicks"],
    inputs={"clicks": Input("page STRING, user STRING")},
    output_mode="update",
    criteria=["rows", "restart"],
    upgrades_after=2,
)
EVENTS = Scenario([Event(n, "clicks", {"page": "home", "user": f"u{n}"}) for n in (1, 2, 3, 4)])


def before(clicks: DataFrame) -> DataFrame:
    return clicks.groupBy("page").agg(F.count("*").alias("clicks"))


def renamed(clicks: DataFrame) -> DataFrame:
    return clicks.groupBy("page").agg(F.count("*").alias("all_clicks"))


def by_user(clicks: DataFrame) -> DataFrame:
    return clicks.groupBy("page", "user").agg(F.count("*").alias("clicks"))


def played(bench: Bench, answer: Answer, task: Exercise = TASK) -> Recording:
    return replay(bench.spark, bench.kafka, task, answer, Variant("as_is", EVENTS), subject=before)


def rows(recording: Recording) -> list[dict[str, object]]:
    return [row for batch in recording.batches if not batch.rerun for row in batch.rows]


@pytest.mark.slow
def test_what_the_version_before_counted_is_carried_over(bench: Bench) -> None:
    recording = played(bench, renamed)
    assert recording.failure is None
    assert rows(recording) == [
        {"page": "home", "clicks": 1},
        {"page": "home", "clicks": 2},
        {"page": "home", "all_clicks": 3},
        {"page": "home", "all_clicks": 4},
    ]
    assert [column["name"] for column in recording.schema] == ["page", "all_clicks"]
    assert [batch.id for batch in recording.batches] == [0, 1, 2, 3]


@pytest.mark.slow
def test_a_version_that_the_checkpoint_refuses_fails_in_its_first_step(bench: Bench) -> None:
    failure = played(bench, by_user).failure
    assert failure is not None
    assert failure.step == 3
    assert "STATE_STORE_KEY_SCHEMA_NOT_COMPATIBLE" in str(failure.condition)


@pytest.mark.slow
def test_the_new_version_is_the_one_that_crashes(bench: Bench) -> None:
    crash = next(v for v in variants_of(TASK, EVENTS) if v.crash_after)
    assert crash.crash_after == 3
    recording = replay(bench.spark, bench.kafka, TASK, renamed, crash, subject=before)
    assert recording.failure is None
    assert rows(recording)[-1] == {"page": "home", "all_clicks": 4}
    assert [batch.step for batch in recording.batches if batch.rerun] == [3]


def test_what_cannot_be_upgraded_is_refused() -> None:
    given = {"id": "99.5", "title": "t", "answer": "a", "takes": ["clicks"]}
    given["inputs"] = {"clicks": {"schema": "page STRING"}}  # type: ignore[assignment]
    for wrong in ({"upgrades_after": 0}, {"criteria": ["rows", "batching"], "upgrades_after": 1}):
        with pytest.raises(ExerciseError, match="upgrades_after"):
            Exercise.from_dict({**given, **wrong})
