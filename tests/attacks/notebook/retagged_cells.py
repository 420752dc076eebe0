"""Tries to swap the metadata of cells: a wrong answer gets those of a right one, an essay those of a check.

Must lose the points of the cells that it retagged, and win none.
"""

from pathlib import Path

from forms import Notebook
from nbformat import NotebookNode


def spoil(notebook: NotebookNode, folder: Path) -> None:
    for cell in notebook.cells:
        marked = cell.metadata.get("nbgrader", {})
        if marked.get("grade_id") == "essay":
            marked.update(grade_id="check-answer_1", points=100)


ATTACK = Notebook("def answer(clicks):\n    return clicks", spoil=spoil)
