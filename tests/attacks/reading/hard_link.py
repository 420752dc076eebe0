"""Tries to give the grade book a second name, by a hard link, in a folder that it may read.

Must find no grade book to link to.
"""

from forms import Program

from grader.sandbox.sandbox_files import WORK

ATTACK = Program(
    "import os; os.link(given[0], given[1] + '/stolen'); open(given[1] + '/stolen').read(1); harm()",
    lambda world: [world.file(world.root / "gradebook.db"), world.root],
    inside=lambda world: [world.file(world.root / "gradebook.db"), WORK],
    refused="No such file",
)
