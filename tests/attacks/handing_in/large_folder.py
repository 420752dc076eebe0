"""Tries to fill the teacher's disk with what it hands in.

Must be named to the teacher: at most 100 MB are graded.
"""

from pathlib import Path

from forms import HandedIn


def spoil(folder: Path) -> None:
    with open(folder / "large", "wb") as file:
        file.truncate(101 << 20)


ATTACK = HandedIn("101 MB large", spoil)
