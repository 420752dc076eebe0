"""Tries to print without end.

Must be interrupted at the time of a cell; no more than half a million characters are kept.
"""

from forms import Notebook

CELL = """while True:
    print("x" * 10_000)
"""
ATTACK = Notebook(CELL, status="timeout", shows="left out", person=True)
