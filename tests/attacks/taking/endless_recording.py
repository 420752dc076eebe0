"""Tries to fill the disk with a recording without end: recordings are its only files on the machine's disk.

Must be stopped at the size of one file (128 MB; here 8). The judge reads 64 MB.
"""

from forms import Program

from grader.sandbox.resource_limits import Limits

WRITE = """
with open(given[0], 'wb') as file:
    for _ in range(16):
        file.write(bytes(1 << 20)); file.flush()
harm()
"""
ATTACK = Program(
    WRITE,
    lambda world: [world.answer],
    inside=lambda world: [world.answer_inside],
    refused="File too large",
    limits=Limits(file_mb=8),
)
