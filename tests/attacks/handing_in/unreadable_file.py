"""Tries to stop the class with a file that the person who grades has no right to read.

Must be named to the teacher, with the fix. Root can read every file, so root skips this attack.
"""

import os
from pathlib import Path

from forms import HandedIn


def spoil(folder: Path) -> None:
    (folder / "data.csv").write_text("x")
    (folder / "data.csv").chmod(0)


ATTACK = HandedIn("cannot be read: fix its permissions", spoil, works=os.getuid() != 0)
