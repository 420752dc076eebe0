"""Tries to stop the class with a hundred thousand brackets, at which a reader of JSON overflows.

Must be named to the teacher, with the reason.
"""

from pathlib import Path

from forms import HandedIn


def spoil(folder: Path) -> None:
    next(folder.glob("*.ipynb")).write_text("[" * 99_999)


ATTACK = HandedIn("notebook", spoil)
