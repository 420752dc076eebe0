"""Tries to stop the class with a folder that has the notebook's name.

Must be named to the teacher, with the reason.
"""

from pathlib import Path

from forms import HandedIn


def spoil(folder: Path) -> None:
    notebook = next(folder.glob("*.ipynb"))
    notebook.unlink()
    notebook.mkdir()


ATTACK = HandedIn("there is no", spoil)
