"""Tries to take memory that outlives every process (System V).

Must be told that there is no such call.
"""

from forms import Program

TAKE = """
import ctypes, os
kernel = ctypes.CDLL(None, use_errno=True)
if kernel.shmget(0, 1 << 20, 0o1600) >= 0:
    harm()
print(os.strerror(ctypes.get_errno()))
"""
ATTACK = Program(TAKE, refused="not implemented")
