"""Tries to hand in another notebook than the one that was asked for.

Must be named to the teacher, with what is there.
"""

from pathlib import Path

from forms import HandedIn


def spoil(folder: Path) -> None:
    next(folder.glob("*.ipynb")).rename(folder / "mine.ipynb")


ATTACK = HandedIn("mine.ipynb", spoil)
