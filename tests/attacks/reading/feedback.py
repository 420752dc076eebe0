"""Tries to read the feedback that another student got.

Must find no such file.
"""

from forms import Program

ATTACK = Program(
    "open(given[0]).read(1); harm()",
    lambda world: [world.file(world.root / "feedback/bob/03_watermarks/03_watermarks.html")],
    refused="No such file",
)
