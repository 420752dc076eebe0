"""Tries to stop the class with a notebook that ends in the middle.

Must be named to the teacher, with the reason; all others are graded.
"""

from pathlib import Path

from forms import HandedIn


def spoil(folder: Path) -> None:
    notebook = next(folder.glob("*.ipynb"))
    notebook.write_text(notebook.read_text()[:200])


ATTACK = HandedIn("is not a notebook", spoil)
