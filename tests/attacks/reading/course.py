"""Tries to read the check pack of the lesson in course/, with what is expected.

Must find no such file; the copy of it that every student has gives nothing away about hidden events.
"""

from forms import Program
from world import PROJECT

ATTACK = Program(
    "open(given[0]).read(1); harm()",
    lambda world: [PROJECT / "course/03_watermarks/checks.pack"],
    refused="No such file",
)
