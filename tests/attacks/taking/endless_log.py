"""Tries to fill the disk with a gigabyte of output past Python's streams, into the log of its process.

Must be stopped at the size of one file (128 MB; here 8).
"""

from forms import Program
from world import World

from grader.sandbox.resource_limits import Limits


def is_long(world: World, said: str) -> bool:
    log = world.job / "log"
    return (log.stat().st_size if log.exists() else len(said)) > 9 << 20


WRITE = """
import os
for _ in range(int(given[0])):
    os.write(1, b'x' * (1 << 20))
"""
ATTACK = Program(
    WRITE, lambda world: [32], inside=lambda world: [1024], harmed=is_long, limits=Limits(file_mb=8)
)
