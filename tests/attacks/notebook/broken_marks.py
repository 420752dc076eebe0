"""Tries to stop the class with invalid metadata: text, lists and numbers in place of nbgrader's.

Must be graded with the metadata of the course.
"""

from pathlib import Path

from forms import Notebook
from nbformat import NotebookNode


def spoil(notebook: NotebookNode, folder: Path) -> None:
    kinds = ["text", 7, [], None, {"grade_id": ["a", "list"]}, {"grade_id": 7}]
    notebook.cells += [notebook.cells[0].copy() for _ in kinds]
    for cell, kind in zip(notebook.cells[-len(kinds) :], kinds, strict=True):
        cell.metadata = {"nbgrader": kind}


ATTACK = Notebook(status="passed", points=2, spoil=spoil)
