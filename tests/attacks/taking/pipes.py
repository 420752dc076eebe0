"""Tries to take kernel memory that no process shows: pipes that are never read.

Must be limited to the few megabytes that a user without rights has for all pipes.
"""

from forms import Program

FILL = """
import fcntl, os
held = 0
for _ in range(512):
    _, into = os.pipe()
    try:
        fcntl.fcntl(into, fcntl.F_SETPIPE_SZ, 1 << 20)
    except OSError:
        pass
    os.set_blocking(into, False)
    try:
        while True:
            held += os.write(into, bytes(1 << 16))
    except OSError:
        pass
print('held', held >> 20, 'MB')
if held > 256 << 20:
    harm()
"""
ATTACK = Program(FILL, refused="held")
