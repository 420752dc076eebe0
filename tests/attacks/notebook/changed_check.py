"""Tries to have the check give points by itself: other source, 30 points, no lock.

Must find the check as it was handed out.
"""

from pathlib import Path

from forms import Notebook
from nbformat import NotebookNode


def spoil(notebook: NotebookNode, folder: Path) -> None:
    for cell in notebook.cells:
        if cell.metadata.get("nbgrader", {}).get("grade_id") == "check-answer_1":
            cell.source = "30.0"
            cell.metadata.nbgrader.update(points=30, schema_version=1, locked=False)


ATTACK = Notebook("def answer(clicks):\n    return clicks", spoil=spoil)
