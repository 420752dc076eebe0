"""Tries to stop the class with a notebook in a format that is ten years old.

Must be graded: it is read in the format that it names.
"""

from pathlib import Path

from forms import Notebook
from nbformat import NotebookNode


def spoil(notebook: NotebookNode, folder: Path) -> None:
    notebook.nbformat_minor = 0
    for cell in notebook.cells:
        cell.pop("id", None)


ATTACK = Notebook(status="passed", points=2, spoil=spoil)
