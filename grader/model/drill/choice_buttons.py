"""Choices as buttons in a notebook: one answer counts, and signs say which choice was right."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ipywidgets as widgets

from grader.model.drill.question import MultipleChoice
from grader.model.drill.question_html import marked

BOX = "ss-drill"  # the class of the box that STYLE is for
STYLE = """<style>
.ss-drill{max-width:1080px}
.ss-drill .jupyter-button{height:auto;width:auto;max-width:100%;text-align:left;white-space:pre-wrap;line-height:1.45;
padding:.35em .9em;margin:2px 0;align-self:flex-start;border-left:4px solid transparent}
.ss-drill .jupyter-button:focus-visible{outline:3px solid #0072b2;outline-offset:1px}
.ss-drill .jupyter-button.ss-right{border-left-color:#009e73;font-weight:bold;opacity:1}
.ss-drill .jupyter-button.ss-wrong{border-left-color:#d55e00;opacity:1}
.ss-drill pre{margin:.2em 0 .4em;line-height:1.35}.ss-drill .ss-soft{opacity:.75;font-size:12px}
.ss-drill .ss-asked{font-size:15px;font-weight:bold;margin:.3em 0}
.ss-drill .ss-told{line-height:1.5;margin:.3em 0;max-width:60em}
.ss-drill td{padding:.1em 1em .1em 0;text-align:left}
</style>"""


def button(text: str) -> Any:
    return widgets.Button(description=text, tooltip=text)


def choice_buttons(question: MultipleChoice, answered: Callable[[int], None]) -> list[Any]:
    """A button for each choice; the first click marks them and calls `answered` with the choice's place."""
    buttons = [button(choice.text) for choice in question.choices]

    def answer(chosen: int) -> None:
        if buttons[chosen].disabled:
            return
        for number, one in enumerate(buttons):
            one.disabled = True
            if number in (chosen, question.right):
                one.description = marked(question, number)
                one.add_class("ss-right" if number == question.right else "ss-wrong")
        answered(chosen)

    for number, one in enumerate(buttons):
        one.on_click(lambda _button, number=number: answer(number))
    return buttons
