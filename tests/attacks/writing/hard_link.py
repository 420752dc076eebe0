"""Tries to get at the machine's own files by a hard link from a folder that is read-only to one that is not.

Must be told that links do not cross mounts: what it may write is another file system.
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
