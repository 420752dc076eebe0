"""Tries to take memory that belongs to no process and to no folder (memfd).

Must be told that there is no such call.
"""

from forms import Program

TAKE = """
import os
file = os.memfd_create('hidden')
for _ in range(16):
    os.write(file, bytes(1 << 20))
harm()
"""
ATTACK = Program(TAKE, refused="not implemented")
