"""Tries to read the course's own solutions.

Must find no such file: solutions/ is not in the sandbox.
"""

from forms import Program
from world import PROJECT

ATTACK = Program(
    "open(given[0]).read(1); harm()",
    lambda world: [PROJECT / "solutions/03_watermarks/lesson.py"],
    refused="No such file",
)
