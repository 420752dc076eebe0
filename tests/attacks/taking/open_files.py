"""Tries to open files without end.

Must be refused by the kernel (at 4096 a process; here 64).
"""

from forms import Program

from grader.sandbox.resource_limits import Limits

ATTACK = Program(
    "held = [open('/dev/null') for _ in range(100)]; harm()",
    refused="Too many open files",
    limits=Limits(open_files=64),
)
