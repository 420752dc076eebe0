"""Tries to list the processes of the machine with their command lines.

Must see only its own.
"""

import uuid

from forms import Program
from world import World

LOOK = """
import glob
for path in glob.glob('/proc/*/cmdline'):
    try:
        if (given[0] + given[1]).encode() in open(path, 'rb').read():
            harm()
    except OSError:
        pass
print('looked')
"""


def password(world: World) -> list[str]:
    halves = [uuid.uuid4().hex, uuid.uuid4().hex]
    world.process("".join(halves))
    return halves


ATTACK = Program(LOOK, password, refused="looked")
