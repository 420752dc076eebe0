"""Tries to start a fork bomb: processes without end.

Must be refused by the kernel. For root, whom the kernel does not count, be ended by the watch (at
2048; here 40).
"""

from forms import Program

from grader.sandbox.resource_limits import Limits

BOMB = """
import os, time
for _ in range(100):
    if os.fork() == 0:
        time.sleep(1.5); os._exit(0)
time.sleep(1)
harm()
"""
ATTACK = Program(
    BOMB,
    refused="temporarily unavailable",
    ended="more than 40 processes and threads",
    limits=Limits(tasks=40),
)
