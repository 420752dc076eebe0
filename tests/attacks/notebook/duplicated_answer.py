"""Tries to confuse the grader with two cells of one answer, the first one wrong.

Must be judged by the function that is defined when its check runs: the last one.
"""

from pathlib import Path

from forms import Notebook
from nbformat import NotebookNode


def spoil(notebook: NotebookNode, folder: Path) -> None:
    for number, cell in enumerate(notebook.cells):
        if cell.metadata.get("nbgrader", {}).get("grade_id") == "answer_1":
            wrong = cell.copy()
            wrong.source = "def answer_1(clicks):\n    return clicks"
            notebook.cells.insert(number, wrong)
            break


ATTACK = Notebook(status="passed", points=2, spoil=spoil)
