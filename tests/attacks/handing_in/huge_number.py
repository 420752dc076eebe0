"""Tries to stop the class with a number of a million digits.

Must be named to the teacher, with the reason.
"""

from pathlib import Path

from forms import HandedIn


def spoil(folder: Path) -> None:
    next(folder.glob("*.ipynb")).write_text(
        '{"nbformat": 4, "nbformat_minor": ' + "9" * 1_000_000 + "}"
    )


ATTACK = HandedIn("is not a notebook", spoil)
