"""Tries to kill every process there is: `kill -9 -1`.

Must reach those of its own sandbox only. (Without one it is not tried: it would end this machine's.)
"""

from forms import Program
from world import World


def bystander(world: World) -> list[str]:
    world.process()
    return []


ATTACK = Program("import os; os.kill(-1, 9)", bystander, outside=False)
