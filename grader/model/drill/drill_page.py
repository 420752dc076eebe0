"""The drill in a notebook: the run as a picture, choices as buttons, the explanation beneath."""

from __future__ import annotations

from typing import Any

import ipywidgets as widgets

from grader.model.drill.choice_buttons import BOX, STYLE, button, choice_buttons
from grader.model.drill.drill_sitting import Drill
from grader.model.drill.question_html import asked_html, head_html, told_html
from grader.model.drill.question_picture import draw_answered, draw_asked


def page(drill: Drill) -> Any:
    """An ipywidgets box that asks until the learner stops answering."""
    box = widgets.VBox()
    box.add_class(BOX)
    _pose(drill, box, focus=False)
    return box


def _pose(drill: Drill, box: Any, *, focus: bool) -> None:
    """Put the next question into the box."""
    question = drill.next()
    number = drill.asked
    head = widgets.HTML(f"{STYLE}{head_html(question, number)}")
    picture, asked = widgets.HTML(draw_asked(question)), widgets.HTML(asked_html(question))
    feedback = widgets.HTML()
    forth = button("next question")
    forth.layout.display = "none"

    def answered(chosen: int) -> None:
        drill.answer(question, chosen)
        head.value = f"{STYLE}{head_html(question.unveiled(), number)}"
        picture.value = draw_answered(question)
        feedback.value = told_html(question, chosen, drill.standing(question.topic))
        forth.layout.display = ""
        forth.focus()

    buttons = choice_buttons(question, answered)
    forth.on_click(lambda _button: _pose(drill, box, focus=True))
    box.children = [head, picture, asked, *buttons, feedback, forth]
    if focus:
        buttons[0].focus()
