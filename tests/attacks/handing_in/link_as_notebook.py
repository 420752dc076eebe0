"""Tries to hand in another student's notebook as its own: a symbolic link to ada's.

Must be named to the teacher as a link.
"""

from pathlib import Path

from forms import HandedIn


def spoil(folder: Path) -> None:
    notebook = next(folder.glob("*.ipynb"))
    notebook.unlink()
    notebook.symlink_to(folder.parents[1] / "ada" / folder.name / notebook.name)


ATTACK = HandedIn("is a link to another place", spoil)
