"""Tries to make programs that read its folder wait forever: a named pipe among its files.

Must be named to the teacher, with the reason.
"""

import os
from pathlib import Path

from forms import HandedIn


def spoil(folder: Path) -> None:
    os.mkfifo(folder / "data.csv")


ATTACK = HandedIn("neither a file nor a folder", spoil)
