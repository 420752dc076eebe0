"""Tries to read what was graded before: another student's page with the points.

Must find no such file.
"""

from forms import Program

ATTACK = Program(
    "open(given[0]).read(1); harm()",
    lambda world: [world.file(world.root / "autograded/bob/03_watermarks/03_watermarks.ipynb")],
    refused="No such file",
)
