"""Tries to read another submission by a path that leads up and out: ../../bob.

Must find no such file: above a submission's folder there are no files of the class.
"""

from forms import Program
from world import World


def beside(world: World) -> list[str]:
    world.file(world.root / "submitted/bob/03_watermarks/03_watermarks.ipynb")
    return ["../../bob/03_watermarks/03_watermarks.ipynb"]


ATTACK = Program("open(given[0]).read(1); harm()", beside, refused="No such file")
