"""Tries to become root in a namespace of its own, the usual first step into the kernel.

Must be told that there is no such call.
"""

from forms import Program

ENTER = """
import ctypes, os
kernel = ctypes.CDLL(None, use_errno=True)
if kernel.unshare(0x10000000) == 0:
    harm()
print(os.strerror(ctypes.get_errno()))
"""
ATTACK = Program(ENTER, refused="not implemented")
