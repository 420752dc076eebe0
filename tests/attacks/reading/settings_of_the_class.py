"""Tries to read the class's settings, which may hold passwords.

Must find no such file.
"""

from forms import Program

ATTACK = Program(
    "open(given[0]).read(1); harm()",
    lambda world: [world.file(world.root / "nbgrader_config.py")],
    refused="No such file",
)
