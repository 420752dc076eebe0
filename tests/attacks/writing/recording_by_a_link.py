"""Tries to put a link to another file in the place of its recording, for the judge to follow.

Must find the recording in use: the file is a mount. The judge does not follow links either.
"""

from forms import Program

ATTACK = Program(
    "import os; os.unlink(given[0]); os.symlink('/etc/passwd', given[0]); harm()",
    lambda world: [world.answer],
    inside=lambda world: [world.answer_inside],
    refused="busy|Read-only",
)
