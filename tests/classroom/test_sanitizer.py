"""What a teacher opens loses nothing that only shows; tests/attacks/showing tries what would run."""

from __future__ import annotations

import base64
import copy

import nbformat
from nbformat import NotebookNode

from grader.classroom.sanitizer import LEFT_OUT, disarm, harmless_outputs
from grader.classroom.terminal_text import lines_for_terminal


def handed_out() -> NotebookNode:
    cell = nbformat.v4.new_markdown_cell("What if `a < b`? <img src=03.0.svg>")
    return nbformat.v4.new_notebook(cells=[cell], metadata={"language_info": {"name": "python"}})


def graded(notebook: NotebookNode) -> NotebookNode:
    disarm(notebook, handed_out())
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.outputs = harmless_outputs(cell.outputs)
    nbformat.validate(notebook)
    return notebook


def test_what_only_shows_is_shown() -> None:
    png = base64.b64encode(b"a picture").decode()
    frame = "<table><tbody><tr><th>page</th></tr><tr><td>/home</td></tr></tbody></table>"
    outputs = [
        nbformat.v4.new_output("display_data", data={"image/png": png, "text/plain": "<Figure>"}),
        nbformat.v4.new_output("execute_result", data={"text/html": frame}, execution_count=1),
        nbformat.v4.new_output("display_data", data={"image/png": '" onerror="x'}),
        nbformat.v4.new_output("display_data", data={"text/html": ["<b>in", " parts</b>"]}),
    ]
    found = [output.data for output in harmless_outputs(outputs)]
    assert found == [
        {"image/png": png, "text/plain": "<Figure>"},
        {"text/html": frame},
        {"text/plain": LEFT_OUT},
        {"text/html": "<b>in parts</b>"},
    ]


def test_what_was_handed_out_stays_as_it_is_and_so_does_an_honest_answer() -> None:
    notebook = handed_out()
    answer = "Rows **with** `x > 1`:\n\n> late ones\n\n| a | b |\n|---|:-:|\n| 1 | 2 |"
    answer += (
        "\n\n```python\nx < 1\n```\n\n1. [a](https://x.org/a:b) ![b](b.png) <https://x.org> $a<b$"
    )
    notebook.cells.append(nbformat.v4.new_markdown_cell(answer, metadata={"tags": ['"><b>']}))
    found = graded(copy.deepcopy(notebook))
    assert found.cells[0] == notebook.cells[0]
    assert found.cells[1].source == answer
    assert found.cells[1].metadata == {}


def test_a_report_in_the_terminal_moves_no_cursor() -> None:
    assert lines_for_terminal("ada\n  \x1b[2Jben: 0 points") == "ada\n  \\x1b[2Jben: 0 points"
