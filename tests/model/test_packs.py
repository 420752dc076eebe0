"""On the course's own events the model does what Spark did: its packs hold the recordings."""

from __future__ import annotations

from pathlib import Path

import pytest
from model.course import given_query, is_played, known

from grader.judging.check_pack import read_pack
from grader.model import run
from grader.model.agreement import behaviour
from grader.scenario import scenario_from_lines, variants_of

COURSE = Path(__file__).parents[2] / "course"
# those whose queries the model plays
MODELLED = [
    f"{lesson}.{number}"
    for lesson, numbers in {
        "00": "0123",
        "02": "014",
        "03": "012345",
        "04": "01234",
        "05": "0123",
        "06": "01234",
        "07": "01234",
        "08": "0125",
        "11": "0",
        "12": "0",
        "13": "0",
        "14": "0",
        "16": "0",
    }.items()
    for number in numbers
]


def plays() -> list[object]:
    found = []
    for path in sorted(COURSE.glob("[01]*_*/checks.pack")):
        for given in read_pack(path).exercises.values():
            if given.exercise.id in MODELLED:
                variants = {v.name: v.scenario for v in variants_of(given.exercise, given.public)}
                for name, expected in given.expected.items():
                    mark = f"{given.exercise.id}-{name}"
                    found.append(pytest.param(given.exercise.id, variants[name], expected, id=mark))
    return found


PLAYS = plays()


@pytest.mark.parametrize(("exercise", "scenario", "expected"), PLAYS)
def test_does_what_spark_did(exercise, scenario, expected):
    if expected.given is not None:  # the events are the answer's own
        scenario = scenario_from_lines(expected.given)
    assert behaviour(run(given_query(known()[exercise]), scenario)) == behaviour(expected)


def test_all_that_the_model_plays_is_compared():
    assert {id for id, source in known().items() if is_played(source)} == set(MODELLED)
    assert {play.values[0] for play in PLAYS} == set(MODELLED)
