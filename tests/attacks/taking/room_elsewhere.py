"""Tries to find any other place that is writable and has room, such as `/` and `/dev` in bwrap's sandboxes.

Must find none: all except the small ones are remounted read-only.
"""

from forms import Program

from grader.sandbox.resource_limits import Limits

LOOK = """
import os, tempfile
for line in open('/proc/self/mountinfo'):
    place = line.split()[4]
    if os.path.isdir(place):
        try:
            tempfile.TemporaryFile(dir=place).close()
        except OSError:
            continue
        about = os.statvfs(place)
        if about.f_blocks * about.f_frsize > 16 << 20:
            harm(); break
print('looked')
"""
ATTACK = Program(LOOK, refused="looked", limits=Limits(tmp_mb=16, shm_mb=4))
