"""Tries to write to the class's grade book.

Must find no such file.
"""

from forms import Program

ATTACK = Program(
    "open(given[0], 'r+').write('x'); harm()",
    lambda world: [world.file(world.root / "gradebook.db")],
    refused="No such file",
)
