"""Tries to take more memory than a process may have.

Must be told by the kernel that there is none left (at 4 GB; here 128 MB).
"""

from forms import Program

from grader.sandbox.resource_limits import Limits

ATTACK = Program(
    "taken = bytes(256 << 20); harm()", refused="MemoryError", limits=Limits(process_mb=128)
)
