"""Tries to hand in a notebook with a different name than the required one.

Must be named to the teacher, with what is there.
"""

from pathlib import Path

from forms import HandedIn


def spoil(folder: Path) -> None:
    next(folder.glob("*.ipynb")).rename(folder / "mine.ipynb")


ATTACK = HandedIn("mine.ipynb", spoil)
