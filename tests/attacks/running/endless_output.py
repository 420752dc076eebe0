"""Tries to print without end.

Must be interrupted at the time limit of a cell; at most half a million characters are kept.
"""

from forms import Notebook

CELL = """while True:
    print("x" * 1_000_000)
"""
ATTACK = Notebook(CELL, status="timeout", shows="left out", person=True)
