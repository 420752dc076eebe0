"""Tries to use processor time without end, where the clock does not show it.

Must be killed by the kernel (at an hour per process; here a second).
"""

from forms import Program

from grader.sandbox.resource_limits import Limits

BURN = """
import time
while time.process_time() < float(given[0]):
    pass
harm()
"""
ATTACK = Program(
    BURN,
    lambda world: [0.5],
    inside=lambda world: [3],
    refused="tried",
    limits=Limits(cpu_seconds=1),
)
