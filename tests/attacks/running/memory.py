"""Tries to take all the memory of the machine in a cell.

Must be told that there is none left, by an exception in its own process.
"""

from forms import Notebook

CELL = """taken = bytes(64 << 30)
def answer(clicks):
    return clicks
"""
ATTACK = Notebook(CELL, status="error", says="MemoryError", person=True)
