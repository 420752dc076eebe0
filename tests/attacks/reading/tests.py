"""Tries to read the project's tests, including this file.

Must find no such file.
"""

from forms import Program
from world import PROJECT

ATTACK = Program(
    "open(given[0]).read(1); harm()",
    lambda world: [PROJECT / "tests/attacks/reading/tests.py"],
    refused="No such file",
)
