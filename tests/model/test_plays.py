"""Wrong answers, and hidden events: what the model makes of them is what Spark made of them."""

from __future__ import annotations

from pathlib import Path

import pytest
from model import traced
from model.course_queries import PLANS, query_of

from grader.authoring.model_on_spark import behaviour
from grader.authoring.prove import Bench
from grader.authoring.source import read_lessons
from grader.model import run
from grader.scenario import Variant, variants_of

SOLUTIONS = Path(__file__).parents[2] / "solutions"
SOURCES = {
    source.exercise.id: source
    for lesson in read_lessons(SOLUTIONS)
    for source in lesson.parts
    if source.exercise.id in PLANS and source.exercise.returns == "stream"
}

pytestmark = pytest.mark.slow


@pytest.mark.parametrize(
    ("id", "wrong"),
    [(id, answer) for id in SOURCES for answer in PLANS[id] if answer != "solution"],
)
def test_a_wrong_answer_goes_wrong_as_on_spark(bench: Bench, id, wrong):
    source = SOURCES[id]
    query = query_of(source.exercise, wrong)
    answer = next(v.answer for v in source.misconceptions if v.id == wrong)
    assert query is not None
    recording = bench.record(source, answer, Variant("as_is", source.public))
    assert recording.failure is None
    assert behaviour(run(query, source.public)) == behaviour(recording)


@pytest.mark.parametrize("id", SOURCES)
def test_the_solution_on_hidden_events_does_what_spark_does(bench: Bench, id):
    source = SOURCES[id]
    hidden = source.hidden()
    query = query_of(source.exercise)
    assert query is not None
    if hidden is None:
        pytest.skip("it has no hidden events")
    recording = bench.record(source, source.solution, Variant("as_is", hidden), as_expected=True)
    assert behaviour(run(query, hidden)) == behaviour(recording)


EQUIVALENTS = [
    pytest.param(source, other.answer, id=f"{id}-{other.id}")
    for id, source in SOURCES.items()
    for other in source.equivalents
]


@pytest.mark.parametrize(("source", "answer"), EQUIVALENTS)
def test_another_right_answer_read_from_its_code_does_what_it_does_on_spark(
    bench: Bench, source, answer
):
    try:
        query = traced.query_of(answer, source.exercise)
    except traced.Untraced as error:
        pytest.skip(f"its code is not read: {error}")
    for variant in variants_of(source.exercise, source.public):
        if variant.crash_after is None:
            recording = bench.record(source, answer, variant)
            assert behaviour(run(query, variant.scenario)) == behaviour(recording)
