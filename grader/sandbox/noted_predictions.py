"""What a submission answered before it ran a stream: its `grader.predict(...)` calls, noted as text.

The runner reports only what was answered.
"""

from __future__ import annotations

from typing import Any

Predicted = dict[str, dict[str, list[str]]]  # exercise → question → answers as they came

# a submission may call `predict` in a loop, or report what no call ever said
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


def _plain(text: Any) -> bool:
    return isinstance(text, str) and len(text) <= MOST_CHARACTERS and text.isprintable()
