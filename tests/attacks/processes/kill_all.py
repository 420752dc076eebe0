"""Tries to kill every process there is: `kill -9 -1`.

Must reach only the processes of its own sandbox. Without a sandbox it is not tried, because it
would end this machine's processes.
"""

from forms import Program
from world import World


def bystander(world: World) -> list[str]:
    world.process()
    return []


ATTACK = Program("import os; os.kill(-1, 9)", bystander, outside=False)
