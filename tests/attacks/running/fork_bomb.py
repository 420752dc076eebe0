"""Tries to start a fork bomb in a cell.

Must lose its own exercise, and no other.
"""

from forms import Notebook

CELL = """import os, time
while True:
    if os.fork() == 0:
        time.sleep(20)
        os._exit(0)
"""
ATTACK = Notebook(
    CELL,
    status="error",
    says="processes and threads|BlockingIOError|unavailable|memory",
    person=True,
)
