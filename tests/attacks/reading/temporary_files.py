"""Tries to read what another program of the machine left in /tmp.

Must find no such file: /tmp in a sandbox is memory of its own.
"""

import tempfile
from pathlib import Path

from forms import Program

ATTACK = Program(
    "open(given[0]).read(1); harm()",
    lambda world: [world.file(Path(tempfile.gettempdir()) / world.name)],
    refused="No such file",
)
