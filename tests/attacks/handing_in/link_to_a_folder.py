"""Tries to hand in another student's folder as its own: a symbolic link.

Must be named to the teacher as a link.
"""

from pathlib import Path

from forms import HandedIn


def spoil(folder: Path) -> None:
    there = folder.with_name("x")
    folder.rename(there)
    folder.symlink_to(there.name)


ATTACK = HandedIn("is a link to another place", spoil)
