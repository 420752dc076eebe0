"""What a submission answered before it ran a stream: its `grader.predict(...)` calls, noted as text.

The runner tells what was answered and no more; whether it is right is worked out here, by the pack.
"""

from __future__ import annotations

from typing import Any

from grader.judging.check_pack import PackedPrediction
from grader.learner.predictions import read

Predicted = dict[str, dict[str, list[str]]]  # exercise → question → answers as they came

# a submission may call `predict` in a loop, or tell what no call ever said
MOST_QUESTIONS, MOST_ANSWERS, MOST_CHARACTERS = 200, 5, 60


def take_in(predicted: Predicted, exercise: str, answers: dict[str, Any]) -> None:
    """Add what one call answered; what is no short plain text is left out."""
    for name, answer in answers.items():
        if not all(_plain(text) for text in (exercise, name, answer)):
            continue
        questions = predicted.get(exercise, {})
        if name not in questions and sum(map(len, predicted.values())) >= MOST_QUESTIONS:
            continue
        said = predicted.setdefault(exercise, questions).setdefault(name, [])
        if answer not in said and len(said) < MOST_ANSWERS:
            said.append(answer)


def answer_to(asked: PackedPrediction, said: list[str]) -> tuple[str, float] | None:
    """The answer that counts, as on a learner's progress page: the first that is of the kind asked for."""
    wanted = read(asked.answer)
    given = (read(text) for text in said)
    return next((one for one in given if one and wanted and one[0] == wanted[0]), None)


def written(answer: tuple[str, float]) -> str:
    """An answer that was read, written one way: 7, 12:04:50."""
    kind, value = answer
    if kind == "number":
        return f"{value:.15g}"
    minutes, seconds = divmod(value, 60)
    told = f"{seconds:09.6f}".rstrip("0").rstrip(".")
    return f"{minutes // 60:02.0f}:{minutes % 60:02.0f}:{told}"


def _plain(text: Any) -> bool:
    return isinstance(text, str) and len(text) <= MOST_CHARACTERS and text.isprintable()
