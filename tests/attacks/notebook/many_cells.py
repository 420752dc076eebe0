"""Tries to stop the class with ten thousand empty cells.

Must be graded.
"""

from pathlib import Path

from forms import Notebook
from nbformat import NotebookNode


def spoil(notebook: NotebookNode, folder: Path) -> None:
    notebook.cells += [notebook.cells[0].copy() for _ in range(10_000)]
    for number, cell in enumerate(notebook.cells):
        cell["id"] = f"c{number}"


ATTACK = Notebook(status="passed", points=2, spoil=spoil)
