"""Tries to make the teacher copy one of the teacher's files into what is graded: a symbolic link to it.

Must be named to the teacher as a link.
"""

from pathlib import Path

from forms import HandedIn


def spoil(folder: Path) -> None:
    (folder / "book").symlink_to("/etc/passwd")


ATTACK = HandedIn("is a link to another place", spoil)
