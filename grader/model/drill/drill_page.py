"""The drill in a notebook: the run as a picture, choices as buttons, the explanation beneath."""

from __future__ import annotations

from html import escape
from typing import Any

import ipywidgets as widgets

from grader.model.drill import LEVELS, Question
from grader.model.drill.drill_sitting import Drill
from grader.model.drill.question_picture import draw_answered, draw_asked
from grader.model.drill.question_text import events_text, rows_shown

_STYLE = """<style>
.ss-drill{max-width:1080px}
.ss-drill .jupyter-button{height:auto;width:auto;max-width:100%;text-align:left;white-space:pre-wrap;line-height:1.45;
padding:.35em .9em;margin:2px 0;align-self:flex-start;border-left:4px solid transparent}
.ss-drill .jupyter-button:focus-visible{outline:3px solid #0072b2;outline-offset:1px}
.ss-drill .jupyter-button.ss-right{border-left-color:#009e73;font-weight:bold;opacity:1}
.ss-drill .jupyter-button.ss-wrong{border-left-color:#d55e00;opacity:1}
.ss-drill pre{margin:.2em 0 .4em;line-height:1.35}.ss-drill .ss-soft{opacity:.75;font-size:12px}
.ss-drill .ss-asked{font-size:15px;font-weight:bold;margin:.3em 0}
.ss-drill .ss-told{line-height:1.5;margin:.3em 0;max-width:60em}
</style>"""


def page(drill: Drill) -> Any:
    """An ipywidgets box that asks until nobody answers any more."""
    box = widgets.VBox()
    box.add_class("ss-drill")
    _pose(drill, box, focus=False)
    return box


def _pose(drill: Drill, box: Any, *, focus: bool) -> None:
    """Put the next question into the box."""
    question = drill.next()
    head, picture = widgets.HTML(_head(drill, question)), widgets.HTML(draw_asked(question))
    asked = widgets.HTML(_asked(question))
    buttons = [_button(choice.text) for choice in question.choices]
    feedback = widgets.HTML()
    forth = _button("next question")
    forth.layout.display = "none"

    def answer(chosen: int) -> None:
        if buttons[chosen].disabled:
            return
        for number, button in enumerate(buttons):
            button.disabled = True
            if number in (chosen, question.right):
                _mark(button, right=number == question.right)
        drill.answer(question, chosen)
        head.value = _head(drill, question.unveiled())
        picture.value = draw_answered(question)
        feedback.value = _feedback(drill, question, chosen)
        forth.layout.display = ""
        forth.focus()

    for number, button in enumerate(buttons):
        button.on_click(lambda _button, number=number: answer(number))
    forth.on_click(lambda _button: _pose(drill, box, focus=True))
    box.children = [head, picture, asked, *buttons, feedback, forth]
    if focus:
        buttons[0].focus()


def _button(text: str) -> Any:
    return widgets.Button(description=text, tooltip=text)


def _mark(button: Any, *, right: bool) -> None:
    """A sign and a class: colour alone tells nobody anything."""
    button.description = f"{'✓' if right else '✗'} {button.description}"
    button.add_class("ss-right" if right else "ss-wrong")


def _head(drill: Drill, question: Question) -> str:
    return (
        f'{_STYLE}<div class="ss-soft">{escape(question.topic)} · level {question.level} of {LEVELS[-1]} · '
        f"question {drill.asked}</div><pre>{escape(question.code)}\n# {escape(question.setting)}</pre>"
    )


def _asked(question: Question) -> str:
    words = "<br>".join(map(escape, [*events_text(question.situation), *rows_shown(question)]))
    return (
        f'<details class="ss-soft"><summary>the events in words</summary>{words}</details>'
        f'<div class="ss-asked" role="heading" aria-level="3">{escape(question.text)}</div>'
    )


def _feedback(drill: Drill, question: Question, chosen: int) -> str:
    choice = question.choices[chosen]
    lines = ["✓ Right." if not choice.idea else f"✗ {choice.said}", question.why]
    feedback = "<br>".join(escape(line) for line in lines if line)
    standing = escape(drill.standing(question.topic))
    return (
        f'<div class="ss-told" role="status">{feedback}<div class="ss-soft">{standing}</div></div>'
    )
