"""What a graded page would run in the browser of whoever opens it."""

from __future__ import annotations

import json
from html.parser import HTMLParser

import nbformat
from forms import Page
from nbconvert import HTMLExporter
from nbformat import NotebookNode


def evil(name: str) -> str:
    """The JavaScript of an attack."""
    return f"alert('{name.replace('/', '_')}')"


def add_page(notebook: NotebookNode, name: str, attack: Page) -> None:
    """Put an attack in a notebook: what its cell shows is saved in it as well, as Jupyter does."""
    code = evil(name)
    if attack.shown:
        shown = {kind: text.replace("EVIL", code) for kind, text in attack.shown.items()}
        source = f"from IPython.display import display\ndisplay({shown!r}, raw=True)"
        cell = nbformat.v4.new_code_cell(
            attack.cell.replace("EVIL", code) or source,
            outputs=[nbformat.v4.new_output("display_data", data=shown)],
        )
        notebook.cells.append(cell)
    if attack.markdown:
        notebook.cells.append(nbformat.v4.new_markdown_cell(attack.markdown.replace("EVIL", code)))
    if attack.raw:
        notebook.cells.append(
            nbformat.v4.new_raw_cell(
                attack.raw.replace("EVIL", code), metadata={"raw_mimetype": "text/html"}
            )
        )
    # EVIL stands in JSON there
    metadata = json.loads(json.dumps(attack.metadata).replace("EVIL", code))
    notebook.metadata.update(nbformat.from_dict(metadata))


def page_of(notebook: NotebookNode) -> str:
    page, _ = HTMLExporter().from_notebook_node(notebook)
    return str(page)


def dangers(page: str, name: str) -> list[str]:
    """The places of a page that would run the attack of this name."""
    looked = _Dangers(name.replace("/", "_"))
    looked.feed(page)
    return looked.found


class _Dangers(HTMLParser):
    def __init__(self, word: str) -> None:
        super().__init__()
        self.word = word
        self.found: list[str] = []
        self.in_script = False

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.in_script = tag == "script"
        for name, value in attributes:
            runs = name.startswith("on") or name in ("href", "src", "srcdoc")
            if self.word in (value or "") and runs:
                self.found.append(f"{tag} {name}")

    def handle_data(self, data: str) -> None:
        if self.in_script and self.word in data:
            self.found.append("script")

    def handle_endtag(self, tag: str) -> None:
        self.in_script = False
