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
from grader.page.placement_sitting import placement_advice, placement_answer, placement_question
from grader.progress_pages.drill_standing import drills_of
from grader.progress_pages.placement_advice import advice_line, sound_answers

Standings = dict[str, Any]  # by topic, as the progress file of the lab has them


class Kept:
    """The standings that a browser keeps, as far as they are sound."""

    def __init__(self, standings: Mapping[str, Any]):
        self.standings: Standings = sound(standings)

    def drilled(self) -> Standings:
        return self.standings

    def remember_drill(self, topic: str, standing: dict[str, Any]) -> None:
        self.standings[topic] = standing


def reply(course: Path, ask: str, **given: Any) -> dict[str, Any]:
    """Answer a page that drills; `ask` is one of the names below. Plain data, for JSON."""
    del course
    return _REPLIES[ask](**given)


def _standings(kept: Standings, placement: object = None) -> dict[str, Any]:
    """By topic, the mark and the standing in a line; and the advice of the placement test that is kept."""
    drills = drills_of(Kept(kept).drilled())
    return {
        "topics": {one.topic: f"{one.mark()} {one.summary()}" for one in drills},
        "placement": advice_line(sound_answers(placement)),
    }


def _question(
    kept: Standings, topic: str | None, number: int, seed: int | None = None
) -> dict[str, Any]:
    """A question on a topic, or with None on the topic that is next; `made` makes it again."""
    question = Drill(topic, Kept(kept), seed=seed).next()
    return {
        "made": {"topic": question.topic, "level": question.level, "seed": question.seed},
        "head": head_html(question, number),
        "picture": draw_asked(question),
        "asked": asked_html(question),
        "choices": [choice.text for choice in question.choices],
    }


def _answer(kept: Standings, made: dict[str, Any], number: int, chosen: int) -> dict[str, Any]:
    """What is shown after an answer, and the standing to keep."""
    memory = Kept(kept)
    question = make_question(topic_of(made["topic"]), made["level"], made["seed"])
    drill = Drill(question.topic, memory)
    drill.answer(question, chosen)
    return {
        "head": head_html(question.unveiled(), number),
        "picture": draw_answered(question),
        "right": question.right,
        "marked": [marked(question, place) for place in range(len(question.choices))],
        "told": told_html(question, chosen, drill.standing(question.topic)),
        "topic": question.topic,
        "standing": memory.drilled()[question.topic],
    }


_REPLIES: dict[str, Callable[..., dict[str, Any]]] = {
    "standings": _standings,
    "question": _question,
    "answer": _answer,
    "placement_question": placement_question,
    "placement_answer": placement_answer,
    "placement_advice": placement_advice,
}
