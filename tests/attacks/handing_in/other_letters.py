"""Tries to stop the class with bytes that are not UTF-8.

Must be named to the teacher, with the reason.
"""

from pathlib import Path

from forms import HandedIn


def spoil(folder: Path) -> None:
    next(folder.glob("*.ipynb")).write_bytes(b"\xff\xfe{}")


ATTACK = HandedIn("is not a notebook", spoil)
