"""A submission that tries to run something in the browser of the teacher who opens it.

Each attack is first shown to work on a page as nbconvert makes it, and then not to.
"""

from __future__ import annotations

import base64
import copy
from collections.abc import Callable
from html.parser import HTMLParser
from typing import Any

import nbformat
import pytest
from nbconvert import HTMLExporter
from nbformat import NotebookNode

from grader.classroom.harmless import LEFT_OUT, disarm, harmless_outputs

EVIL = "alert('evil')"
TAG = f"<script>{EVIL}</script>"


def shows(kind: str, value: str) -> Callable[[NotebookNode], None]:
    def attack(notebook: NotebookNode) -> None:
        output = nbformat.v4.new_output("display_data", data={kind: value})
        notebook.cells.append(nbformat.v4.new_code_cell("1", outputs=[output]))

    return attack


def says(
    make: Callable[..., NotebookNode], text: str, **more: Any
) -> Callable[[NotebookNode], None]:
    return lambda notebook: notebook.cells.append(make(text, **more))


def titled(notebook: NotebookNode) -> None:
    notebook.metadata["title"] = f"</title>{TAG}"


def with_widgets(notebook: NotebookNode) -> None:
    state = {"version_major": 2, "version_minor": 0, "state": {"</script>" + TAG: {}}}
    notebook.metadata["widgets"] = {"application/vnd.jupyter.widget-state+json": state}


ATTACKS = {
    "html": shows("text/html", TAG),
    "event": shows("text/html", f'<img src=x onerror="{EVIL}">'),
    "link": shows("text/html", f'<a href="javascript:{EVIL}">prize</a>'),
    "frame": shows("text/html", f'<iframe srcdoc="{TAG}"></iframe>'),
    "javascript": shows("application/javascript", EVIL),
    "markdown output": shows("text/markdown", TAG),
    "markdown cell": says(nbformat.v4.new_markdown_cell, f"An essay. {TAG}"),
    "markdown event": says(nbformat.v4.new_markdown_cell, f'<img src=x onerror="{EVIL}">'),
    "markdown link": says(nbformat.v4.new_markdown_cell, f"[prize](javascript:{EVIL})"),
    "a link in disguise": says(nbformat.v4.new_markdown_cell, f"[prize](jAva&#115;cript:{EVIL})"),
    "inside a fence": says(nbformat.v4.new_markdown_cell, f"```\n````\n{TAG}"),
}
# nbconvert itself withstands these today; we do not rest on that
WITHSTOOD = {
    "title": titled,
    "widgets": with_widgets,
    "plain": shows("text/plain", TAG),
    "svg": shows("image/svg+xml", f'<svg xmlns="http://www.w3.org/2000/svg">{TAG}</svg>'),
    "raw cell": says(nbformat.v4.new_raw_cell, TAG, metadata={"raw_mimetype": "text/html"}),
    "markdown address": says(nbformat.v4.new_markdown_cell, f"<javascript:{EVIL}>"),
}


class Dangers(HTMLParser):
    """What of a page would run a submission's code."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []
        self.in_script = False

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.in_script = tag == "script"
        for name, value in attributes:
            if "evil" in (value or "") and (
                name.startswith("on") or name in ("href", "src", "srcdoc")
            ):
                self.found.append(f"{tag} {name}")

    def handle_data(self, data: str) -> None:
        if self.in_script and "evil" in data:
            self.found.append("script")

    def handle_endtag(self, tag: str) -> None:
        self.in_script = False


def dangers(notebook: NotebookNode) -> list[str]:
    page, _ = HTMLExporter().from_notebook_node(notebook)
    looked = Dangers()
    looked.feed(page)
    return looked.found


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


@pytest.mark.parametrize("name", ATTACKS)
def test_an_attack_that_works_elsewhere_does_not_here(name: str) -> None:
    notebook = handed_out()
    ATTACKS[name](notebook)
    assert dangers(copy.deepcopy(notebook)), "the attack is none"
    assert dangers(graded(notebook)) == []


@pytest.mark.parametrize("name", WITHSTOOD)
def test_and_those_that_nbconvert_withstands_by_itself(name: str) -> None:
    notebook = handed_out()
    WITHSTOOD[name](notebook)
    assert dangers(graded(notebook)) == []


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
