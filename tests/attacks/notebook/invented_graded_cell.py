"""Tries to give itself a graded cell of a hundred points.

Must be graded for the cells of the course only.
"""

from pathlib import Path

from forms import Notebook
from nbformat import NotebookNode


def spoil(notebook: NotebookNode, folder: Path) -> None:
    cell = notebook.cells[2].copy()
    cell.source = "1 + 1"
    cell.metadata = {
        "nbgrader": {
            "grade_id": "bonus",
            "grade": True,
            "solution": False,
            "locked": True,
            "points": 100,
            "schema_version": 3,
            "task": False,
            "cell_type": "code",
        }
    }
    notebook.cells.append(cell)


ATTACK = Notebook(status="passed", points=2, spoil=spoil)
