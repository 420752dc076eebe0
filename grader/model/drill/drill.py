"""`grader.drill`: questions on a topic, as buttons in a notebook or in a terminal."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from grader.feedback.display import Display, in_notebook
from grader.learner import progress
from grader.model.drill import UnknownTopic, drill_terminal
from grader.model.drill.drill_sitting import Drill
from grader.model.drill.placement import placement_terminal
from grader.model.drill.placement.placement import NAME
from grader.model.drill.placement.placement_in_lab import placement_near
from grader.model.drill.placement.placement_result import PlacementResult

COUNT = 10  # questions in a terminal


def drill(topic: str | None = None, *, seed: int | None = None) -> None:
    """Ask in a notebook, with buttons; elsewhere in the terminal."""
    display = Display()
    try:
        asked = _asked(topic, seed)
    except UnknownTopic as error:
        display.text(f"{str(error)[0].upper()}{str(error)[1:]}")
        return
    if in_notebook():
        display.widget(_page(asked), still="Run this cell to be asked.")
    elif not sys.stdin.isatty():  # a notebook that is run without anybody to ask
        display.text(
            f"Questions cannot be answered here. In a terminal: grader drill {topic or ''}".rstrip()
        )
    elif isinstance(asked, PlacementResult):
        placement_terminal.ask(asked)
    else:
        drill_terminal.ask(asked, COUNT)


def _asked(topic: str | None, seed: int | None) -> Drill | PlacementResult:
    if is_placement(topic):
        return placement_near(Path.cwd(), seed)
    return Drill(topic, progress, seed=seed)


def _page(asked: Drill | PlacementResult) -> Any:
    from grader.model.drill import drill_page
    from grader.model.drill.placement import placement_page

    if isinstance(asked, PlacementResult):
        return placement_page.page(asked)
    return drill_page.page(asked)


def is_placement(topic: str | None) -> bool:
    """Whether what was given for a topic is the placement test."""
    return str(topic).strip().lower() == NAME
