"""Tries to stop the class with a notebook of 50 MB.

Must be graded: the outputs that make it large are not read again.
"""

from pathlib import Path

import nbformat
from forms import Notebook
from nbformat import NotebookNode


def spoil(notebook: NotebookNode, folder: Path) -> None:
    output = nbformat.v4.new_output("stream", name="stdout", text="x" * (50 << 20))
    notebook.cells[1].outputs = [output]


ATTACK = Notebook(status="passed", points=2, spoil=spoil)
