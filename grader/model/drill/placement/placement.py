"""One placement test: its questions from a seed, and its answers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from random import Random, SystemRandom

from grader.model.drill import Choice, Question, make_question
from grader.model.drill.placement.lesson_questions import LessonQuestion, lesson_questions
from grader.progress_pages.placement_advice import OF_PART, PARTS

NAME = "placement"  # as a topic of the drill
COUNT = OF_PART * len(PARTS)
LEVEL = 2  # of the drill's questions
SEEDS = 1_000_000
TOPICS = {
    "03": ("watermarks",), "04": ("windows", "output modes"), "05": ("chained windows",),
    "06": ("joins",), "07": ("deduplication",), "08": ("sessions",),
}  # fmt: skip
# a better answer than a guess
UNKNOWN = Choice("I do not know", "unknown", "The right answer is marked.")
Asked = Question | LessonQuestion
Answers = list[tuple[str, bool]]  # the lesson of each question, and if its answer was right


class Placement:
    """Asks once through the course; after each answer `keep` gets all of them, in the place of an earlier test's."""

    def __init__(self, keep: Callable[[Answers], object], *, seed: int | None = None):
        self.seed = SystemRandom().randrange(SEEDS) if seed is None else seed
        self.answers: Answers = []
        self._keep = keep
        self._questions = _questions(Random(self.seed))
        self._lesson = ""
        self.number = 0

    def next(self) -> Asked | None:
        """The next question, made when it is its turn; None after the last."""
        self._lesson, question = next(self._questions, ("", None))
        self.number += question is not None
        return question

    def answer(self, question: Asked, chosen: int) -> None:
        self.answers.append((self._lesson, chosen == question.right))
        self._keep(self.answers)


def _questions(rng: Random) -> Iterator[tuple[str, Asked]]:
    """Each lesson with its questions, which have the choice UNKNOWN as well."""
    for part in PARTS:
        for lesson in part:
            of_lesson: Iterable[Asked] = (
                _drilled(lesson, rng) if lesson in TOPICS else lesson_questions(lesson, rng)
            )
            for _, question in zip(range(OF_PART // len(part)), of_lesson, strict=False):
                yield lesson, replace(question, choices=[*question.choices, UNKNOWN])


def _drilled(lesson: str, rng: Random) -> Iterator[Question]:
    """Questions of the drill on a lesson, each of a different kind."""
    topic, seen = rng.choice(TOPICS[lesson]), set()
    while True:
        question = make_question(topic, LEVEL, rng.randrange(SEEDS))
        if question.kind not in seen:
            seen.add(question.kind)
            yield question
