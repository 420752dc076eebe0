"""Questions on lessons that the drill has no topic for: what a lesson says, with wrong ideas as choices."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

from grader.model.drill.question import Choice, MultipleChoice
from grader.toml_file import read_toml

_FILE = Path(__file__).with_name("lesson_questions.toml")


@dataclass(frozen=True)
class LessonQuestion(MultipleChoice):
    """`lesson` is the number of the lesson, such as "11", that says what the answer is."""

    lesson: str
    text: str
    choices: list[Choice]
    why: str


def lesson_questions(lesson: str, rng: Random) -> list[LessonQuestion]:
    """All questions on a lesson and their choices, both in an order by chance; empty if there are none."""
    given = [one for one in _given() if one["lesson"] == lesson]
    return [_question(one, rng) for one in rng.sample(given, len(given))]


@cache
def _given() -> list[dict[str, Any]]:
    return list(read_toml(_FILE)["question"])


def _question(given: dict[str, Any], rng: Random) -> LessonQuestion:
    wrong = [
        Choice(text, idea, f"Your answer fits the idea that {idea}.")
        for text, idea in given["wrong"]
    ]
    choices = [Choice(given["answer"]), *wrong]
    return LessonQuestion(
        given["lesson"], given["text"], rng.sample(choices, len(choices)), given["why"]
    )
