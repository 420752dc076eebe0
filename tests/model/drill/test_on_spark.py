"""The code that a question shows, run by Spark on the question's events: the model's truth is Spark's."""

from typing import Any

import pytest
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from grader.authoring.proof import Bench
from grader.model.agreement import behaviour
from grader.model.drill import LEVELS, TOPICS, Question, make_question
from grader.model.explorer.spark_query import exercise_of
from grader.replay.replay import replay
from grader.scenario import Variant

pytestmark = pytest.mark.slow


def one_of_each_kind() -> list[Question]:
    """For each topic, and each kind of question in it, the hardest that comes first."""
    found: dict[tuple[str, str], Question] = {}
    for topic in TOPICS:
        for level in reversed(LEVELS):
            for seed in range(12):
                question = make_question(topic, level, seed)
                found.setdefault((topic, question.kind), question)
    return list(found.values())


def shown(question: Question) -> Any:
    """The function that a learner would write around the code that is shown."""
    names = list(question.situation.sources)

    def answer(*frames: DataFrame) -> DataFrame:
        given = {"F": F, **dict(zip(names, frames, strict=True))}
        return eval(f"({question.unveiled().code})", given)

    return answer


def test_spark_does_with_the_code_what_the_answer_says(bench: Bench):
    questions = one_of_each_kind()
    assert len(questions) == sum(len(kinds) for kinds in TOPICS.values())
    for question in questions:
        situation = question.situation
        exercise = exercise_of(situation.query, situation.scenario)
        variant = Variant("as_is", situation.scenario)
        done = replay(bench.spark, bench.kafka, exercise, shown(question), variant)
        assert done.failure is None, (question.topic, question.kind, done.failure)
        assert behaviour(done) == behaviour(question.played.recording), question.code
