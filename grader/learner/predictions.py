"""Questions answered before running."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from grader.feedback.show import Display
from grader.judging.pack import PackedPrediction, PackError, find_exercise
from grader.learner import progress


def predict(exercise_id: str, answers: dict[str, Any]) -> None:
    """Say of each answer whether it is what Spark did, and why."""
    asked = {p.name: p for p in find_exercise(exercise_id, Path.cwd()).predictions}
    if not answers:
        questions = "\n".join(f"{p.name}: {p.question}" for p in asked.values())
        Display().text(
            f"Answer by name, such as grader.predict({exercise_id!r}, {next(iter(asked), 'x')}=…)\n{questions}"
        )
        return
    for name, answer in answers.items():
        if name not in asked:
            raise PackError(
                f"{exercise_id} asks for {', '.join(asked) or 'nothing'}, not for {name!r}."
            )
        right = fits(asked[name], answer)
        progress.remember_prediction(exercise_id, name, right)
        Display().text(_told(asked[name], answer, right))


def fits(prediction: PackedPrediction, answer: Any) -> bool:
    """Whether an answer is the one that Spark gave; `12:04:50` and `12:04:50.0` are the same."""
    return _plain(answer) == _plain(prediction.answer)


def _plain(answer: Any) -> str:
    text = str(answer).strip().lower()
    try:
        return f"{float(text):g}"
    except ValueError:
        return text


def _told(prediction: PackedPrediction, answer: Any, right: bool) -> str:
    if right:
        return f"✓ {prediction.name} = {answer}. {prediction.why}".rstrip()
    wrong = {_plain(given): said for given, said in prediction.wrong.items()}
    nudge = wrong.get(
        _plain(answer), "Think again, or run the stream and look at it with the lens."
    )
    return f"✗ {prediction.name} is not {answer}. {nudge}"
