"""Tries to stop the class with an empty file.

Must be named to the teacher, with the reason.
"""

from pathlib import Path

from forms import HandedIn


def spoil(folder: Path) -> None:
    next(folder.glob("*.ipynb")).write_bytes(b"")


ATTACK = HandedIn("is not a notebook", spoil)
