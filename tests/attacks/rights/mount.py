"""Tries to mount a file system of its own over existing files.

Must be told that it may not.
"""

from forms import Program

MOUNT = """
import ctypes, os
kernel = ctypes.CDLL(None, use_errno=True)
if kernel.mount(b'attack', given[0].encode(), b'tmpfs', 0, None) == 0:
    kernel.umount(given[0].encode())
    harm()
print(os.strerror(ctypes.get_errno()))
"""
ATTACK = Program(
    MOUNT,
    lambda world: [world.temporary()],
    inside=lambda world: ["/tmp"],
    refused="not permitted",
)
