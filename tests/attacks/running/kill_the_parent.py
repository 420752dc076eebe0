"""Tries to kill its parent, and every process that it sees.

Must reach only its own sandbox, which ends: its own exercise is lost.
"""

from forms import Notebook

CELL = """
import contextlib, os, signal
for process in (os.getppid(), -1, os.getpid()):
    with contextlib.suppress(OSError):
        os.kill(process, signal.SIGKILL)
"""
ATTACK = Notebook(CELL, status="error", says="killed", person=True)
