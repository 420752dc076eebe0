"""Tries to stop the class by a notebook of a format of ten years ago.

Must be graded: it is read as what it says.
"""

from pathlib import Path

from forms import Notebook
from nbformat import NotebookNode


def spoil(notebook: NotebookNode, folder: Path) -> None:
    notebook.nbformat_minor = 0
    for cell in notebook.cells:
        cell.pop("id", None)


ATTACK = Notebook(status="passed", points=2, spoil=spoil)
