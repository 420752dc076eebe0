"""Tries to read the class's grade book.

Must find no such file.
"""

from forms import Program

ATTACK = Program(
    "open(given[0]).read(1); harm()",
    lambda world: [world.file(world.root / "gradebook.db")],
    refused="No such file",
)
