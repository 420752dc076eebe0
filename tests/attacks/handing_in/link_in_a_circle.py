"""Tries to make programs that walk through its folder walk forever: a link to itself.

Must be named to the teacher as a link.
"""

from pathlib import Path

from forms import HandedIn


def spoil(folder: Path) -> None:
    (folder / "again").symlink_to(folder)


ATTACK = HandedIn("is a link to another place", spoil)
