"""Tries to be two: it forks in a cell, and both go on to record.

Must be judged by what is recorded, and cost nobody else.
"""

from forms import Notebook

CELL = """import os, time
if os.fork() == 0:
    time.sleep(30)
def answer(clicks):
    return clicks
"""
ATTACK = Notebook(CELL, status="failed", others="passed")
