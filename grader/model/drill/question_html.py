"""A question and its answer as HTML: for a notebook and for a page."""

from __future__ import annotations

from html import escape

from grader.model.drill import LEVELS, Question
from grader.model.drill.question import MultipleChoice
from grader.model.drill.question_text import events_text, rows_shown


def head_html(question: Question, number: int) -> str:
    """What is drilled, the `number` of the question in its sitting, and the code."""
    return (
        f'<div class="ss-soft">{escape(question.topic)} · level {question.level} of {LEVELS[-1]} · '
        f"question {number}</div>{code_html(question)}"
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


def told_html(question: MultipleChoice, chosen: int, standing: str = "") -> str:
    """What is said about an answer: the idea that it fits, why the right one is right, and where the learner is."""
    choice = question.choices[chosen]
    lines = [f"✗ {choice.said}" if choice.idea else "✓ Right.", question.why]
    said = "<br>".join(escape(line) for line in lines if line)
    after = f'<div class="ss-soft">{escape(standing)}</div>' if standing else ""
    return f'<div class="ss-told" role="status">{said}{after}</div>'


def marked(question: MultipleChoice, place: int) -> str:
    """A choice after the answer, with a sign: color alone is not enough."""
    return f"{'✓' if place == question.right else '✗'} {question.choices[place].text}"
