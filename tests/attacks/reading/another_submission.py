"""Tries to read what another student handed in, by its full path.

Must find no such file: a submission sees only its own folder.
"""

from forms import Program

ATTACK = Program(
    "open(given[0]).read(1); harm()",
    lambda world: [world.file(world.root / "submitted/bob/03_watermarks/03_watermarks.ipynb")],
    refused="No such file",
)
