"""Tries to kill its parent, and whatever process it sees.

Must reach its own sandbox only, which ends with that: its own exercise is lost.
"""

from forms import Notebook

CELL = """
import contextlib, os, signal
for process in (os.getppid(), -1, os.getpid()):
    with contextlib.suppress(OSError):
        os.kill(process, signal.SIGKILL)
"""
ATTACK = Notebook(CELL, status="error", says="killed", person=True)
