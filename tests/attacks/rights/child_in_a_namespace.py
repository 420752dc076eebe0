"""Tries to become root in a namespace by another way: a child that begins in a namespace of its own (clone).

Must be told that no more namespaces can be made.
"""

from forms import Program

ENTER = """
import ctypes, os
kernel = ctypes.CDLL(None, use_errno=True)
clone = {'x86_64': 56, 'aarch64': 220}[os.uname().machine]
child = kernel.syscall(clone, 0x10000000 | 17, 0, 0, 0, 0)
if child == 0:
    os._exit(0)
if child > 0:
    harm()
print(os.strerror(ctypes.get_errno()))
"""
ATTACK = Program(ENTER, refused="No space left|not permitted|not implemented")
