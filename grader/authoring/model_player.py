"""The model in place of Spark: it plays an answer that it can read, in milliseconds.

What it says is a forecast. No proof rests on it: what is in a proofs.json was played on Spark.
"""

from __future__ import annotations

from dataclasses import replace

from grader.authoring.answer import Answer
from grader.authoring.lesson_source import ExerciseSource
from grader.model import NotModelled, Refused, run
from grader.model.query import Query
from grader.model.query_reader import Unread, query_of
from grader.scenario import Variant
from grader.scenario.recording import Failure, Recording

# the criteria that need plays it does not know
_NOT_PLAYED = ("restart", "exactly_once", "settings")


class NotPlayed(Exception):
    """An answer that the model does not read, or a play that it does not know."""


class ByModel:
    """A player as the proof has them (see proof.Player); raises NotPlayed."""

    def __init__(self) -> None:
        self._read: dict[Answer, Query | None] = {}

    def record(
        self,
        source: ExerciseSource,
        answer: Answer,
        variant: Variant,
        *,
        as_expected: bool = False,
    ) -> Recording:
        query = self._query(source, answer)
        if query is None or variant.crash_after is not None or variant.conf:
            raise NotPlayed(variant.name)
        try:
            return run(query, variant.scenario, name=source.exercise.id)
        except Refused as error:
            failure = Failure("plan", str(error))
            return Recording(source.exercise.id, variant.name, failure=failure)
        except NotModelled as error:
            raise NotPlayed(str(error)) from error

    def _query(self, source: ExerciseSource, answer: Answer) -> Query | None:
        if not source.exercise.answer_kind.returns_query:
            return None
        if answer not in self._read:
            try:
                self._read[answer] = query_of(answer.function, source.exercise)
            except Unread:
                self._read[answer] = None
        return self._read[answer]


def played_part(source: ExerciseSource) -> ExerciseSource:
    """The exercise with as much of its check as the model's recordings can be judged by."""
    exercise = source.exercise
    part = replace(
        exercise,
        criteria=[name for name in exercise.criteria if name not in _NOT_PLAYED],
        facts=[fact for fact in exercise.facts if fact.run is not None],
        weights={},
    )
    found = replace(source, exercise=part)
    vars(found)["public"] = source.public
    return found


def is_whole(source: ExerciseSource) -> bool:
    """Whether the model's recordings show everything that the check of an exercise examines."""
    part = played_part(source).exercise
    return (part.criteria, part.facts) == (source.exercise.criteria, source.exercise.facts)
