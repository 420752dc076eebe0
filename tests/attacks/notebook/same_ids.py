"""Tries to stop the class with cells that all have one id.

Must be graded.
"""

from pathlib import Path

from forms import Notebook
from nbformat import NotebookNode


def spoil(notebook: NotebookNode, folder: Path) -> None:
    for cell in notebook.cells:
        cell["id"] = "same"


ATTACK = Notebook(status="passed", points=2, spoil=spoil)
