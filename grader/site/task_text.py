"""The text of a task as a page shows it: what only the lab has is left out, or said in a page's words."""

from __future__ import annotations

import ast
import io
import re
from contextlib import redirect_stdout

_IN_THE_LAB = re.compile(r"(?m)^(spark, kafka = )?grader\.|kafka\.|read_clicks\(")
# a prediction is a cell of the lab; its answer is in the lesson's pack and not in the page
_PREDICTION = re.compile(r"Predict (first|\w+ \w+ first)\.")
IN_PLACE_OF_LENS = "Copy this query into your answer and check it: the verdict shows what it does."
_IN_A_PAGE = [
    (re.compile(r"The lens takes your [\w ]+,\s+too:\s+`grader\.lens\([^`]*\)`"), "A check draws what your events did"),
    (re.compile(r"`grader\.lens\([^`]*\)` shows"), "A check draws"),
    (re.compile(r"`grader\.check` shows"), "The check shows"),
]  # fmt: skip


def given_code(source: str) -> str:
    """The code of a task's cell: all of it, or what it defines if other lines need the lab; empty if nothing is left."""
    if not _IN_THE_LAB.search(source):
        return source
    found = [
        ast.get_source_segment(source, node) or ""
        for node in ast.parse(source).body
        if isinstance(node, ast.FunctionDef | ast.ClassDef)
    ]
    return "\n\n\n".join(found)


def printed(code: str) -> str:
    """What a task's code prints; nothing if it builds on what only a notebook has."""
    said = io.StringIO()
    try:
        with redirect_stdout(said):
            exec(code, {"__name__": "task"})
    except NameError:
        return ""
    return said.getvalue()


def in_a_page(markdown: str) -> str:
    """A cell of a task, without its prediction; the lab's commands are a page's check and picture."""
    paragraphs = [part for part in markdown.split("\n\n") if not _PREDICTION.match(part)]
    text = "\n\n".join(paragraphs)
    for pattern, words in _IN_A_PAGE:
        text = pattern.sub(words, text)
    return text
