"""Tries to fill the supervisor's memory with one event without end.

Must be ended at 64 MB, or at the size of one file.
"""

from forms import Notebook

CELL = """import sys
def answer(clicks):
    with open(sys.argv[1] + "/events.jsonl", "a") as file:
        while True:
            file.write("x" * (1 << 20))
"""
ATTACK = Notebook(CELL, status="error", says="larger than 64 MB|File too large", person=True)
