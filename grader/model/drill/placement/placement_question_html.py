"""A question of the placement test as HTML: for a notebook and for a page."""

from __future__ import annotations

import re
from html import escape

from grader.model.drill import Question
from grader.model.drill.placement.placement import COUNT, Asked
from grader.model.drill.question_html import asked_html, code_html
from grader.model.drill.question_picture import draw_asked

_CODE = re.compile(r"`([^`]+)`")


def shown_parts(question: Asked, number: int) -> tuple[str, str, str]:
    """Its `number` and its code, its picture, and what is asked; only a question of the drill has code and a picture."""
    head = f'<div class="ss-soft">question {number} of {COUNT}</div>'
    if isinstance(question, Question):
        return f"{head}{code_html(question)}", draw_asked(question), asked_html(question)
    text = _CODE.sub(r"<code>\1</code>", escape(question.text))
    return head, "", f'<div class="ss-asked" role="heading" aria-level="3">{text}</div>'
