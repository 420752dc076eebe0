"""Tries to stop the class with JSON that has no cells: a list, a number.

Must be named to the teacher, with the reason.
"""

from pathlib import Path

from forms import HandedIn


def spoil(folder: Path) -> None:
    next(folder.glob("*.ipynb")).write_text("[1, 2]")


ATTACK = HandedIn("is not a notebook", spoil)
