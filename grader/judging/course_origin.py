"""Where a file of the course came from, and so what restores it as it was handed out."""

from __future__ import annotations

from pathlib import Path

FOLDER = "course"


def from_git(path: Path) -> bool:
    """Whether a file is in the course/ folder of a git clone."""
    path = path.absolute()
    clone = next((folder for folder in path.parents if (folder / ".git").exists()), None)
    return clone is not None and path.relative_to(clone).parts[0] == FOLDER


def restore_fix(path: Path) -> str:
    """What to do to have a file of the course back: a command, or a sentence without its full stop."""
    if from_git(path):
        return f"`git checkout -- {path}`"
    if "site-packages" in Path(__file__).parts:
        again = "`pip install --force-reinstall stateful-streams`, then `stateful-streams`"
        return f"{again} in a new folder, and copy the file from there"
    return "unzip the course again, into a new folder, and copy the file from there"
