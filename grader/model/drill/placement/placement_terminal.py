"""The placement test in a terminal: a number and Enter answer a question."""

from __future__ import annotations

import textwrap

from grader.model.drill import Question
from grader.model.drill.drill_terminal import typed_choice
from grader.model.drill.placement.placement import COUNT, Asked
from grader.model.drill.placement.placement_result import WIDTH, PlacementResult
from grader.model.drill.question_text import choices_text, question_text

WELCOME = (
    f"{COUNT} questions, from the first lesson to lesson 15. Do not guess: take “I do not know”. q or Ctrl-C ends "
    "the test, and what you have answered counts."
)


def ask(result: PlacementResult) -> None:
    """Ask to the end, or until `q`, the end of the input or Ctrl-C, which is raised again; then advise."""
    placement = result.placement
    print(textwrap.fill(WELCOME, WIDTH))
    try:
        while question := placement.next():
            print(f"\n── {placement.number} of {COUNT}\n\n{_text(question)}\n")
            chosen = typed_choice(len(question.choices))
            if chosen is None:
                break
            placement.answer(question, chosen)
            print(f"\n{_wrapped(question.explanation(chosen))}\n{_wrapped(question.why)}".rstrip())
    finally:
        print(f"\n{result.text()}")


def _text(question: Asked) -> str:
    if isinstance(question, Question):
        return question_text(question)
    return f"{_wrapped(question.text)}\n{choices_text(question.choices)}"


def _wrapped(text: str) -> str:
    lines = text.splitlines()
    margins = [" " * (len(line) - len(line.lstrip(" ✓✗"))) for line in lines]
    return "\n".join(
        textwrap.fill(line, WIDTH, subsequent_indent=margin)
        for line, margin in zip(lines, margins, strict=True)
    )
