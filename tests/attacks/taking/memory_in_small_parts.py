"""Tries to take the machine's memory with many processes, each of which takes little.

Must be ended by the watch outside, which counts all of them together (at 4 GB; here 256 MB).
"""

from forms import Program

from grader.sandbox.resource_limits import Limits

TAKE = """
import os, time
for _ in range(6):
    if os.fork() == 0:
        taken = b'x' * (64 << 20); time.sleep(2); os._exit(0)
time.sleep(1.5)
harm()
"""
ATTACK = Program(
    TAKE,
    refused="cannot be: it is killed",
    ended="its processes took more than 256 MB of memory",
    limits=Limits(memory_mb=256),
)
