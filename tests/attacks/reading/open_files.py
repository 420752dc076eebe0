"""Tries to use a file of the teacher's that the parent process left open: /proc/self/fd.

Must find no open files except its own three streams.
"""

import os

from forms import Program
from world import World

LOOK = """
import os
for number in range(3, 256):
    try:
        os.fstat(number)
    except OSError:
        continue
    if os.pread(number, 6, 0) == b'secret':
        harm()
print('looked')
"""


def left_open(world: World) -> list[str]:
    handle = open(world.file(world.root / "gradebook.db"))  # noqa: SIM115 (until the attack is over)
    os.set_inheritable(handle.fileno(), True)
    world.ends.callback(handle.close)
    return []


ATTACK = Program(LOOK, left_open, refused="looked")
