"""What a class answered before it ran anything: the first answer of each student that could be read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from grader.judging.check_pack import Pack, PackedPrediction
from grader.learner.predictions import read
from grader.sandbox.noted_predictions import Predicted


@dataclass(frozen=True)
class WrongAnswer:
    """An answer that is not Spark's, how many gave it, and the hint for it."""

    answer: str
    times: int
    said: str


@dataclass(frozen=True)
class PredictionReport:
    """A question of the lesson, asked before running: of `asked` submissions so many were right, and so on.

    The first answer that could be read counts, as on a learner's own progress page.
    """

    exercise: str
    name: str
    question: str
    answer: str
    asked: int
    right: int
    wrong: list[WrongAnswer]
    unanswered: int


def predictions_of(pack: Pack, predicted: Iterable[Predicted | None]) -> list[PredictionReport]:
    """How a class answered a lesson's questions; submissions whose run does not show it are left out."""
    known = [one for one in predicted if one is not None]
    return [
        _prediction(id, asked, [one.get(id, {}).get(asked.name, []) for one in known])
        for id, packed in pack.exercises.items()
        for asked in packed.predictions
    ]


def _prediction(exercise: str, asked: PackedPrediction, said: list[list[str]]) -> PredictionReport:
    given = Counter(answer_to(asked, texts) for texts in said)
    unanswered = given.pop(None, 0)
    right = given.pop(read(asked.answer), 0)
    nudges = {read(answer): nudge for answer, nudge in asked.wrong.items()}
    wrong = [
        WrongAnswer(written(answer), times, nudges.get(answer, ""))
        for answer, times in sorted(given.items(), key=lambda item: (-item[1], item[0] or ()))
        if answer is not None
    ]
    return PredictionReport(
        exercise, asked.name, asked.question, asked.answer, len(said), right, wrong, unanswered
    )


def answer_to(asked: PackedPrediction, said: list[str]) -> tuple[str, float] | None:
    """The answer that counts, as on a learner's progress page: the first of the required kind."""
    wanted = read(asked.answer)
    given = (read(text) for text in said)
    return next((one for one in given if one and wanted and one[0] == wanted[0]), None)


def written(answer: tuple[str, float]) -> str:
    """An answer that was read, written one way: 7, 12:04:50."""
    kind, value = answer
    if kind == "number":
        return f"{value:.15g}"
    minutes, seconds = divmod(value, 60)
    text = f"{seconds:09.6f}".rstrip("0").rstrip(".")
    return f"{minutes // 60:02.0f}:{minutes % 60:02.0f}:{text}"
