"""Tries to fill the memory through /dev/shm, whose files belong to no process.

Must be told that no space is left: its size is fixed (64 MB; here 4).
"""

from forms import Program

from grader.sandbox.resource_limits import Limits

FILL = """
with open(given[0] + '/filling', 'wb') as file:
    for _ in range(24):
        file.write(bytes(1 << 20)); file.flush()
harm()
"""
ATTACK = Program(
    FILL,
    lambda world: [world.root],
    inside=lambda world: ["/dev/shm"],
    refused="No space left",
    limits=Limits(shm_mb=4),
)
