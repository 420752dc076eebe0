"""Tries to escape by deleting the cell that checks.

Must be graded as if the cell were there.
"""

from pathlib import Path

from forms import Notebook
from nbformat import NotebookNode


def spoil(notebook: NotebookNode, folder: Path) -> None:
    notebook.cells = [
        c
        for c in notebook.cells
        if c.metadata.get("nbgrader", {}).get("grade_id") != "check-answer_1"
    ]


ATTACK = Notebook("def answer(clicks):\n    return clicks", spoil=spoil)
