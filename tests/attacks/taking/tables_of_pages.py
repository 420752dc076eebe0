"""Tries to take memory by addresses alone. Pages that are read and never written count for no process, but their page
tables grow.

Must be ended by the watch, which counts page tables as memory too (at 4 GB; here 128 MB).
"""

from forms import Program

from grader.sandbox.resource_limits import Limits

READ = """
import mmap, time
EACH = 1 << 37  # 128 GB of addresses; a table of 4 kB for each 2 MB that is looked at
NO_RESERVE = 0x4000  # it has a name in newer Pythons
held = []
for _ in range(2):
    space = mmap.mmap(-1, EACH, mmap.MAP_PRIVATE | NO_RESERVE, mmap.PROT_READ)
    try:
        space.madvise(mmap.MADV_NOHUGEPAGE)
    except (OSError, AttributeError):
        pass
    held.append(space)
    for at in range(0, EACH, 1 << 21):
        space[at]
time.sleep(1)
harm()
"""
ATTACK = Program(
    READ,
    refused="cannot be: it is killed",
    ended="more than 128 MB of memory",
    limits=Limits(memory_mb=128),
)
