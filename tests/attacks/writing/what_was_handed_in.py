"""Tries to change the submission while it is graded.

Must be told that it is read-only: its cells run in a copy.
"""

from forms import Program

ATTACK = Program(
    "open(given[0], 'r+').write('x'); harm()",
    lambda world: [world.handed_in / "03_watermarks.ipynb"],
    inside=lambda world: [world.handed_in_inside / "03_watermarks.ipynb"],
    refused="Read-only file system",
)
