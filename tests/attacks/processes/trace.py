"""Tries to control another process like a debugger (ptrace), to make it say what it likes.

Must be told that there is no such call.
"""

from forms import Program

ATTACH = """
import ctypes
kernel = ctypes.CDLL(None, use_errno=True)
if kernel.ptrace(16, int(given[0]), 0, 0) == 0:  # PTRACE_ATTACH
    kernel.ptrace(17, int(given[0]), 0, 0)
    harm()
import os
print(os.strerror(ctypes.get_errno()))
"""
ATTACK = Program(
    ATTACH, lambda world: [world.process().pid], refused="not implemented|No such process"
)
