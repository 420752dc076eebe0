"""Tries to stop its own process, so that nothing in it can count time.

Must be killed by the supervisor.
"""

from forms import Notebook

CELL = """import os, signal
os.kill(os.getpid(), signal.SIGSTOP)
"""
ATTACK = Notebook(CELL, status="timeout", says="timed out after", person=True)
