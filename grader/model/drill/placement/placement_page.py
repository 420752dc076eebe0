"""The placement test in a notebook: a question at a time, then the advice with links to the lessons."""

from __future__ import annotations

from typing import Any

import ipywidgets as widgets

from grader.model.drill.choice_buttons import BOX, STYLE, button, choice_buttons
from grader.model.drill.placement.placement import COUNT
from grader.model.drill.placement.placement_question_html import shown_parts
from grader.model.drill.placement.placement_result import PlacementResult
from grader.model.drill.question_html import told_html


def page(result: PlacementResult) -> Any:
    """An ipywidgets box that asks to the end, or until the learner ends the test."""
    box = widgets.VBox()
    box.add_class(BOX)
    _pose(result, box, focus=False)
    return box


def _pose(result: PlacementResult, box: Any, *, focus: bool) -> None:
    """Put the next question into the box; after the last one, the advice."""
    placement = result.placement
    question = placement.next()
    if question is None:
        _advise(result, box)
        return
    feedback = widgets.HTML()
    forth = button("next question" if placement.number < COUNT else "the advice")
    forth.layout.display = "none"
    end = button("end the test")

    def answered(chosen: int) -> None:
        placement.answer(question, chosen)
        feedback.value = told_html(question, chosen)
        forth.layout.display = ""
        forth.focus()

    buttons = choice_buttons(question, answered)
    forth.on_click(lambda _button: _pose(result, box, focus=True))
    end.on_click(lambda _button: _advise(result, box))
    asked = widgets.HTML("".join([STYLE, *shown_parts(question, placement.number)]))
    box.children = [asked, *buttons, feedback, forth, end]
    if focus:
        buttons[0].focus()


def _advise(result: PlacementResult, box: Any) -> None:
    box.children = [widgets.HTML(f"{STYLE}{result.html()}")]
