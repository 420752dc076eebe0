"""On the course's own events the model does what Spark did: its packs hold the recordings."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from model.course_queries import PLANS, query_of

from grader.authoring.model_on_spark import behaviour
from grader.judging.pack import PackedExercise, read_pack
from grader.model import run
from grader.scenario import scenario_from_lines, variants_of

COURSE = Path(__file__).parents[2] / "course"


def packed() -> Iterator[PackedExercise]:
    for path in sorted(COURSE.glob("0[0-8]_*/checks.pack")):
        yield from read_pack(path).exercises.values()


PLAYS = [
    pytest.param(given, name, id=f"{given.exercise.id}-{name}")
    for given in packed()
    if given.exercise.id in PLANS
    for name in given.expected
]


@pytest.mark.parametrize(("given", "variant"), PLAYS)
def test_does_what_spark_did(given, variant):
    expected = given.expected[variant]
    scenarios = {v.name: v.scenario for v in variants_of(given.exercise, given.public)}
    scenario = scenarios[variant]
    if expected.given is not None:  # the events are the answer's own
        scenario = scenario_from_lines(expected.given)
    query = query_of(given.exercise)
    assert query is not None
    assert behaviour(run(query, scenario)) == behaviour(expected)


def test_most_exercises_are_played():
    assert len(PLAYS) >= 20
