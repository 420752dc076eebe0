"""What the Python of a page sends back in a drill: questions, and what is said of answers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from grader.model.drill import make_question, topic_of
from grader.model.drill.drill_sitting import Drill
from grader.model.drill.mastery import sound
from grader.model.drill.question_html import asked_html, head_html, marked, told_html
from grader.model.drill.question_picture import draw_answered, draw_asked
from grader.progress_pages.drill_standing import drills_of

Standings = dict[str, Any]  # by topic, as the progress file of the lab has them


class Kept:
    """The standings that a browser keeps, as far as they are sound."""

    def __init__(self, standings: Mapping[str, Any]):
        self.standings: Standings = sound(standings)

    def drilled(self) -> Standings:
        return self.standings

    def remember_drill(self, topic: str, standing: dict[str, Any]) -> None:
        self.standings[topic] = standing


def reply(course: Path, ask: str, kept: Standings, **given: Any) -> dict[str, Any]:
    """Answer a page that drills; `ask` is standings, question or answer. Plain data, for JSON."""
    del course
    replies: dict[str, Callable[..., dict[str, Any]]]
    replies = {"standings": _standings, "question": _question, "answer": _answer}
    return replies[ask](Kept(kept), **given)


def _standings(kept: Kept) -> dict[str, Any]:
    """By topic, a mark and the standing in a line."""
    drills = drills_of(kept.drilled())
    return {one.topic: {"mark": one.mark(), "summary": one.summary()} for one in drills}


def _question(
    kept: Kept, topic: str | None, number: int, seed: int | None = None
) -> dict[str, Any]:
    """A question on a topic, or with None on the topic that is next; `made` makes it again."""
    question = Drill(topic, kept, seed=seed).next()
    return {
        "made": {"topic": question.topic, "level": question.level, "seed": question.seed},
        "head": head_html(question, number),
        "picture": draw_asked(question),
        "asked": asked_html(question),
        "choices": [choice.text for choice in question.choices],
    }


def _answer(kept: Kept, made: dict[str, Any], number: int, chosen: int) -> dict[str, Any]:
    """What is shown after an answer, and the standing to keep."""
    question = make_question(topic_of(made["topic"]), made["level"], made["seed"])
    drill = Drill(question.topic, kept)
    drill.answer(question, chosen)
    return {
        "head": head_html(question.unveiled(), number),
        "picture": draw_answered(question),
        "right": question.right,
        "marked": [marked(question, place) for place in range(len(question.choices))],
        "told": told_html(question, chosen, drill.standing(question.topic)),
        "topic": question.topic,
        "standing": kept.drilled()[question.topic],
    }
