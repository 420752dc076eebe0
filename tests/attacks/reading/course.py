"""Tries to read the check pack of the lesson in course/, with the expected rows.

Must find no such file. Every student has a copy of it, and that copy says nothing about hidden
events.
"""

from forms import Program
from world import PROJECT

ATTACK = Program(
    "open(given[0]).read(1); harm()",
    lambda world: [PROJECT / "course/03_watermarks/checks.pack"],
    refused="No such file",
)
