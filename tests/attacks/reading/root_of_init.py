"""Tries to get out by the root folder of the first process: /proc/1/root.

Must get to its own root again, which has no such file.
"""

from pathlib import Path

from forms import Program

ATTACK = Program(
    "open('/proc/1/root' + given[0]).read(1); harm()",
    lambda world: [world.file(Path.home() / f".{world.name}")],
    refused="No such file|Permission denied",
)
