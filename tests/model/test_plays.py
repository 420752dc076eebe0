"""Wrong answers and other right ones, read from their code: the model does with them what Spark does."""

from __future__ import annotations

import os
import random
import subprocess
from pathlib import Path

import pytest
from model.course import known
from model.test_packs import MODELLED

from grader.authoring.answer import Answer
from grader.authoring.lesson_source import ExerciseSource
from grader.authoring.proof import Bench
from grader.model import NotModelled, Refused, run
from grader.model.agreement import behaviour
from grader.model.query import Query
from grader.model.query_reader import Unread, query_of
from grader.scenario import Scenario, Variant

pytestmark = pytest.mark.slow
PLAYED = int(os.environ.get("MODEL_PLAYS", "20"))  # of some 150; another sample a commit


def read(source: ExerciseSource, answer: Answer) -> Query | None:
    try:
        return query_of(answer.function, source.exercise)
    except Unread:
        return None


def cases() -> list[tuple[str, ExerciseSource, Answer, Query, Scenario]]:
    """Every answer that is read, on the public events, and the solutions on hidden ones."""
    found = []
    for id in MODELLED:
        source = known()[id]
        if source.exercise.returns != "stream":
            continue
        given = [("solution", source.solution, source.hidden())]
        given += [(x.id, x.answer, source.public) for x in source.misconceptions]
        given += [(x.id, x.answer, source.public) for x in source.equivalents]
        for name, answer, events in given:
            query = read(source, answer) if events is not None else None
            if query is not None:
                found.append((f"{id}-{name}", source, answer, query, events))
    return found


def sampled() -> list[object]:
    command = ["git", "-C", str(Path(__file__).parent), "rev-parse", "HEAD"]
    seed = subprocess.run(command, capture_output=True, text=True).stdout
    chosen = cases()
    random.Random(seed).shuffle(chosen)
    return [pytest.param(*case[1:], id=case[0]) for case in chosen[:PLAYED]]


@pytest.mark.parametrize(("source", "answer", "query", "events"), sampled())
def test_the_model_does_what_spark_does(bench: Bench, source, answer, query, events):
    recording = bench.record(source, answer, Variant("as_is", events), as_expected=True)
    try:
        ours = run(query, events)
    except NotModelled as error:
        pytest.skip(f"not modelled: {error}")
    except Refused:
        assert recording.failure is not None
        return
    assert recording.failure is None
    assert behaviour(ours) == behaviour(recording)
