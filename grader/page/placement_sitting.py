"""The placement test of a page, which knows its seed and the choices so far: a question at a time, then the advice."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timezone
from typing import Any

from grader.model.drill.placement.placement import COUNT, Asked, Placement
from grader.model.drill.placement.placement_question_html import shown_parts
from grader.model.drill.placement.placement_result import Lesson, PlacementResult
from grader.model.drill.question_html import marked, told_html

_last: list[_Sitting] = []  # one at most: its questions need not be made again


class _Sitting:
    """One test, and what it has asked; each question is made when it is its turn."""

    def __init__(self, seed: int | None):
        self.test = Placement(lambda answers: None, seed=seed)  # the page keeps them
        self._asked: list[Asked | None] = []

    def question(self, number: int) -> Asked:
        while len(self._asked) < number:
            self._asked.append(self.test.next())
        found = self._asked[number - 1]
        if found is None:
            raise ValueError(f"the placement test has no question {number}")
        return found

    def follow(self, chosen: Sequence[int]) -> None:
        """Answer what the page has answered since."""
        for choice in chosen[len(self.test.answers) :]:
            self.test.answer(self.question(len(self.test.answers) + 1), choice)


def _sitting(seed: int | None, chosen: Sequence[int]) -> _Sitting:
    """The test of a seed after the choices so far; a new Python asks it again."""
    if not _last or _last[0].test.seed != seed or len(_last[0].test.answers) > len(chosen):
        _last[:] = [_Sitting(seed)]
    _last[0].follow(chosen)
    return _last[0]


def placement_question(seed: int | None, chosen: Sequence[int]) -> dict[str, Any]:
    """The question after the choices so far; a test begins without a seed and without choices."""
    sitting = _sitting(seed, chosen)
    number = len(chosen) + 1
    question = sitting.question(number)
    head, picture, asked = shown_parts(question, number)
    return {
        "made": {"topic": "placement", "seed": sitting.test.seed, "number": number},
        "head": head,
        "picture": picture,
        "asked": asked,
        "choices": [choice.text for choice in question.choices],
    }


def placement_answer(seed: int, chosen: Sequence[int]) -> dict[str, Any]:
    """What is shown after the last of the choices, and what to keep of the test."""
    sitting = _sitting(seed, chosen)
    question = sitting.question(len(chosen))
    return {
        "right": question.right,
        "marked": [marked(question, place) for place in range(len(question.choices))],
        "told": told_html(question, chosen[-1]),
        "last": len(chosen) == COUNT,
        "placement": {
            "when": datetime.now(timezone.utc).isoformat(timespec="seconds"),
            "answers": sitting.test.answers,
        },
    }


def placement_advice(
    seed: int | None, chosen: Sequence[int], lessons: Mapping[str, Mapping[str, str]], folder: str
) -> dict[str, Any]:
    """Which lessons to skip; `lessons` has the title and the file of each, and `folder` leads to the files."""
    here = {number: Lesson(**lesson) for number, lesson in lessons.items()}
    return {"told": PlacementResult(_sitting(seed, chosen).test, here, folder).html()}
