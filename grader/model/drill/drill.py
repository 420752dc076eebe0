"""`grader.drill`: questions on a topic, as buttons in a notebook or in a terminal."""

from __future__ import annotations

import sys

from grader.feedback.display import Display, in_notebook
from grader.model.drill import UnknownTopic
from grader.model.drill.drill_page import page
from grader.model.drill.drill_sitting import Drill
from grader.model.drill.drill_terminal import ask

COUNT = 10  # questions in a terminal


def drill(topic: str | None = None, *, seed: int | None = None) -> None:
    """Ask in a notebook, with buttons; elsewhere in the terminal."""
    display = Display()
    try:
        asked = Drill(topic, seed=seed)
    except UnknownTopic as error:
        display.text(f"{str(error)[0].upper()}{str(error)[1:]}")
        return
    if in_notebook():
        display.widget(page(asked), still="Run this cell to be asked.")
    elif not sys.stdin.isatty():  # a notebook that is run without anybody to ask
        display.text(f"Nobody can answer here. In a terminal: grader drill {topic or ''}".rstrip())
    else:
        ask(asked, COUNT)
