"""Tries to read a file in the home folder of the person who grades.

Must find no such file: a sandbox has a home of its own.
"""

from pathlib import Path

from forms import Program

ATTACK = Program(
    "open(given[0]).read(1); harm()",
    lambda world: [world.file(Path.home() / f".{world.name}")],
    refused="No such file",
)
