"""The course's answers as queries of the model, read from their code."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path

from grader.authoring.lesson_source import ExerciseSource, read_lessons
from grader.model import NotModelled, Refused, run
from grader.model.query import Query
from grader.model.query_reader import Unread, query_of

SOLUTIONS = Path(__file__).parents[2] / "solutions"


@cache
def known() -> dict[str, ExerciseSource]:
    """All exercises and worked examples, by id."""
    return {s.exercise.id: s for lesson in read_lessons(SOLUTIONS) for s in lesson.parts}


def given_query(source: ExerciseSource) -> Query:
    """The solution's query, or the one that an answer's own events go to; raises Unread."""
    if source.exercise.returns == "events":
        assert source.subject is not None
        exercise = replace(source.exercise, takes=list(source.exercise.inputs))
        return query_of(source.subject.function, exercise)
    return query_of(source.solution.function, source.exercise)


def is_played(source: ExerciseSource) -> bool:
    """Whether the model reads the answer and plays it."""
    try:
        query = given_query(source)
        if source.exercise.has_scenario:
            run(query, source.public)
    except (Unread, NotModelled, Refused):
        return False
    return True
