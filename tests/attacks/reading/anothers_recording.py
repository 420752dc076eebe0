"""Tries to read what another runner, which runs at the same time, records.

Must find no such file: each runner has a folder of its own.
"""

from forms import Program
from world import World

from grader.runtime.scratch_folders import make_scratch, remove_scratch


def beside(world: World) -> list[str]:
    folder = make_scratch("check")
    world.ends.callback(remove_scratch, folder)
    return [str(world.file(folder / "recording"))]


ATTACK = Program("open(given[0]).read(1); harm()", beside, refused="No such file")
