"""The drill in a notebook: the run as a picture, choices as buttons, the explanation beneath."""

from __future__ import annotations

from html import escape
from typing import Any

import ipywidgets as widgets

from grader.model.drill import LEVELS, Question
from grader.model.drill.choice_buttons import BOX, STYLE, button, choice_buttons, told_html
from grader.model.drill.drill_sitting import Drill
from grader.model.drill.question_picture import draw_answered, draw_asked
from grader.model.drill.question_text import events_text, rows_shown


def page(drill: Drill) -> Any:
    """An ipywidgets box that asks until the learner stops answering."""
    box = widgets.VBox()
    box.add_class(BOX)
    _pose(drill, box, focus=False)
    return box


def _pose(drill: Drill, box: Any, *, focus: bool) -> None:
    """Put the next question into the box."""
    question = drill.next()
    head, picture = widgets.HTML(_head(drill, question)), widgets.HTML(draw_asked(question))
    asked = widgets.HTML(asked_html(question))
    feedback = widgets.HTML()
    forth = button("next question")
    forth.layout.display = "none"

    def answered(chosen: int) -> None:
        drill.answer(question, chosen)
        head.value = _head(drill, question.unveiled())
        picture.value = draw_answered(question)
        standing = escape(drill.standing(question.topic))
        feedback.value = told_html(question, chosen, f'<div class="ss-soft">{standing}</div>')
        forth.layout.display = ""
        forth.focus()

    buttons = choice_buttons(question, answered)
    forth.on_click(lambda _button: _pose(drill, box, focus=True))
    box.children = [head, picture, asked, *buttons, feedback, forth]
    if focus:
        buttons[0].focus()


def _head(drill: Drill, question: Question) -> str:
    return (
        f'{STYLE}<div class="ss-soft">{escape(question.topic)} · level {question.level} of {LEVELS[-1]} · '
        f"question {drill.asked}</div>{code_html(question)}"
    )


def code_html(question: Question) -> str:
    return f"<pre>{escape(question.code)}\n# {escape(question.setting)}</pre>"


def asked_html(question: Question) -> str:
    """The events in words, to be unfolded, and what is asked."""
    words = "<br>".join(map(escape, [*events_text(question.situation), *rows_shown(question)]))
    return (
        f'<details class="ss-soft"><summary>the events in words</summary>{words}</details>'
        f'<div class="ss-asked" role="heading" aria-level="3">{escape(question.text)}</div>'
    )
