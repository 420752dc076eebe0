"""Tries to have whoever walks through its folder walk for ever: a link to itself.

Must be named to the teacher as a link.
"""

from pathlib import Path

from forms import HandedIn


def spoil(folder: Path) -> None:
    (folder / "again").symlink_to(folder)


ATTACK = HandedIn("is a link to another place", spoil)
