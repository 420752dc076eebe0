"""A learner's standing in a topic: how hard its next question is, when it is mastered, when it comes back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from fsrs import Card, Rating, Scheduler

from grader.model.drill import LEVELS, TOPICS
from grader.progress_pages.drill_standing import due

TO_NEXT_LEVEL = 2  # right answers in a row
TO_MASTER = 5  # right answers in a row, the last of them at the highest level
Standing = dict[str, Any]

# a topic comes back after whole days: nothing is asked again on the same day
_SCHEDULER = Scheduler(learning_steps=(), relearning_steps=(), enable_fuzzing=False)


def at_first() -> Standing:
    """Nothing answered yet. `card` is FSRS's memory of a topic that was mastered once."""
    return {
        "answered": 0, "right": 0, "run": 0, "on_level": 0, "level": 1,
        "mastered": False, "card": None, "ideas": {},
    }  # fmt: skip


def sound(found: Mapping[str, object]) -> dict[str, Any]:
    """The sound standings among data from a file or a browser, by topic."""
    return {topic: one for topic, one in found.items() if topic in TOPICS and is_standing(one)}


def is_standing(found: object) -> bool:
    """Whether data from a file or a browser is a standing, so that the next answer can follow it."""
    if not isinstance(found, dict) or set(found) != set(at_first()):
        return False
    counts = [found[name] for name in ("answered", "right", "run", "on_level", "level")]
    if not all(type(count) is int and count >= 0 for count in counts):
        return False
    ideas, mastered = found["ideas"], found["mastered"]
    if not isinstance(ideas, dict) or not all(type(times) is int for times in ideas.values()):
        return False
    if found["level"] not in LEVELS or type(mastered) is not bool:
        return False
    return not mastered if found["card"] is None else _is_card(found["card"])


def _is_card(found: Any) -> bool:
    """Whether FSRS can go on with a card."""
    try:
        card = Card.from_dict(found)
        _SCHEDULER.review_card(card, Rating.Good, card.due)
    except (TypeError, ValueError, KeyError, ArithmeticError):
        return False
    return True


def after(before: Standing, *, level: int, idea: str, now: datetime) -> Standing:
    """The standing after an answer to a question of a level; `idea` is empty if it was right."""
    found = {**at_first(), **before, "answered": before.get("answered", 0) + 1}
    return _wrong(found, idea, now) if idea else _right(found, level, now)


def _right(found: Standing, level: int, now: datetime) -> Standing:
    found |= {
        "right": found["right"] + 1,
        "run": found["run"] + 1,
        "on_level": found["on_level"] + 1,
    }
    if found["mastered"]:
        return _reviewed(found, Rating.Good, now) if is_due(found, now) else found
    if found["run"] >= TO_MASTER and level == LEVELS[-1]:
        return _reviewed({**found, "mastered": True}, Rating.Good, now)
    if found["on_level"] >= TO_NEXT_LEVEL and found["level"] < LEVELS[-1]:
        found |= {"level": found["level"] + 1, "on_level": 0}
    return found


def _wrong(found: Standing, idea: str, now: datetime) -> Standing:
    """A wrong answer leads back one level; a mastered topic must be mastered again."""
    if found["mastered"]:
        found = _reviewed({**found, "mastered": False}, Rating.Again, now)
    ideas = {**found["ideas"], idea: found["ideas"].get(idea, 0) + 1}
    level = max(1, found["level"] - 1)
    return {**found, "run": 0, "on_level": 0, "level": level, "ideas": ideas}


def _reviewed(found: Standing, rating: Rating, now: datetime) -> Standing:
    card = Card.from_dict(found["card"]) if found["card"] else Card(due=now)
    card, _ = _SCHEDULER.review_card(card, rating, now)
    return {**found, "card": dict(card.to_dict())}


def is_due(standing: Mapping[str, Any], now: datetime) -> bool:
    return bool(standing.get("mastered")) and due(standing) <= now


def next_topic(topics: Sequence[str], kept: Mapping[str, Standing], now: datetime) -> str:
    """What was mastered and is due again, else the first not mastered, else what is due first."""
    mastered = [topic for topic in topics if kept.get(topic, {}).get("mastered")]
    again = [topic for topic in mastered if is_due(kept[topic], now)]
    ahead = [topic for topic in topics if topic not in mastered]
    first_due = sorted(again or mastered, key=lambda topic: due(kept[topic]))
    return first_due[0] if again or not ahead else ahead[0]
