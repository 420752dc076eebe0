"""Tries to read the secret that hidden events are drawn with.

Must find no such file.
"""

from forms import Program

ATTACK = Program(
    "open(given[0]).read(1); harm()",
    lambda world: [world.file(world.root / "grading/secret")],
    refused="No such file",
)
