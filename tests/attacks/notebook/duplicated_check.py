"""Tries to have a right answer count twice, with a duplicate of its check.

Must count once.
"""

from pathlib import Path

from forms import Notebook
from nbformat import NotebookNode


def spoil(notebook: NotebookNode, folder: Path) -> None:
    for cell in list(notebook.cells):
        if cell.metadata.get("nbgrader", {}).get("grade_id") == "check-answer_1":
            notebook.cells += [cell.copy(), cell.copy()]


ATTACK = Notebook(status="passed", points=2, spoil=spoil)
