"""Tries to stop the class by a file that whoever grades has no right to read.

Must be named to the teacher, with the mend. (For root there is no such file.)
"""

import os
from pathlib import Path

from forms import HandedIn


def spoil(folder: Path) -> None:
    (folder / "data.csv").write_text("x")
    (folder / "data.csv").chmod(0)


ATTACK = HandedIn("cannot be read: give yourself the right", spoil, works=os.getuid() != 0)
