"""Tries to run twice: it forks in a cell, and both processes go on to record.

Must be judged by what is recorded, and harm no other student.
"""

from forms import Notebook

CELL = """import os, time
if os.fork() == 0:
    time.sleep(30)
def answer(clicks):
    return clicks
"""
ATTACK = Notebook(CELL, status="failed", others="passed")
