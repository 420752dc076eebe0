"""One sitting of the drill: each answer is kept, and the next question follows it."""

from __future__ import annotations

from datetime import datetime, timezone
from random import Random, SystemRandom
from typing import Any, Protocol

from grader.model.drill import TOPICS, Question, make_question, topic_of
from grader.model.drill.mastery import after, at_first, next_topic
from grader.progress_pages.drill_standing import drills_of


class Memory(Protocol):
    """Where the standings by topic are kept: the progress file of the lab, or a browser."""

    def drilled(self) -> dict[str, Any]: ...

    def remember_drill(self, topic: str, standing: dict[str, Any]) -> None: ...


class Drill:
    """What is asked and answered in one sitting; raises UnknownTopic."""

    def __init__(self, topic: str | None, memory: Memory, *, seed: int | None = None):
        self.topic = None if topic is None else topic_of(topic)
        self.memory = memory
        self.seeds = SystemRandom() if seed is None else Random(seed)
        self.asked = self.answered = self.right = 0
        self._now: dict[str, Any] = {}  # by topic, as in the memory, which may not be writable

    def next(self) -> Question:
        """A question as hard as the learner's standing in its topic requires."""
        kept = self._kept()
        topic = self.topic or next_topic(list(TOPICS), kept, _now())
        level = kept.get(topic, at_first())["level"]
        self.asked += 1
        return make_question(topic, level, self.seeds.randrange(1_000_000))

    def answer(self, question: Question, chosen: int) -> None:
        """Keep an answer at once, so that it counts if the learner stops here."""
        idea = question.choices[chosen].idea
        before = self._kept().get(question.topic, at_first())
        standing = after(before, level=question.level, idea=idea, now=_now())
        self._now[question.topic] = standing
        self.memory.remember_drill(question.topic, standing)
        self.answered += 1
        self.right += not idea

    def standing(self, topic: str) -> str:
        """The learner's standing in a topic, in one line."""
        found = {topic: self._kept()[topic]}
        return f"{topic}: {drills_of(found)[0].summary()}"

    def _kept(self) -> dict[str, Any]:
        return {**self.memory.drilled(), **self._now}

    def summary(self) -> str:
        """The sitting in one line."""
        return f"{self.right} of {self.answered} right. Kept with your progress: grader progress shows it."


def _now() -> datetime:
    return datetime.now(timezone.utc)
