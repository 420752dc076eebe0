"""Tries to change the machine's own files by a hard link from a read-only folder to a writable one.

Must be told that links do not cross mounts: the folder that it may write to is another file system.
"""

from forms import Program

from grader.sandbox.sandbox_files import WORK

LINK = "import os; os.link(given[0], given[1] + '/mine'); open(given[1] + '/mine', 'a').write('x'); harm()"
ATTACK = Program(
    LINK,
    lambda world: [world.handed_in / "03_watermarks.ipynb", world.handed_in],
    inside=lambda world: [world.handed_in_inside / "03_watermarks.ipynb", WORK],
    refused="cross-device",
)
