"""All wrong ideas, by name, wherever they are listed."""

from typing import Any

from grader.model.drill import wrong_ideas
from grader.model.drill.wrong_ideas import Idea


def _listed(found: Any) -> list[Idea]:
    if isinstance(found, Idea):
        return [found]
    given = found.values() if isinstance(found, dict) else found if isinstance(found, list) else []
    return [idea for idea in given if isinstance(idea, Idea)]


IDEAS = {idea.name: idea for found in vars(wrong_ideas).values() for idea in _listed(found)}
