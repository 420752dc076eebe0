"""Tries to read a key in the environment of any process, including the judge and bwrap.

Must find none: bwrap itself is started with a handful of variables.
"""

import uuid

from forms import Program
from world import World

LOOK = """
import glob
for path in glob.glob('/proc/*/environ'):
    try:
        if (given[0] + given[1]).encode() in open(path, 'rb').read():
            harm()
    except OSError:
        pass
"""


def key(world: World) -> list[str]:
    halves = [uuid.uuid4().hex, uuid.uuid4().hex]
    world.variable("COURSE_KEY", "".join(halves))
    return halves


ATTACK = Program(LOOK, key)
