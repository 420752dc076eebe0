"""Tries to loop without end in a cell.

Must be interrupted at the time limit of a cell; the cells below it run.
"""

from forms import Notebook

CELL = """while True:
    pass
"""
ATTACK = Notebook(CELL, status="timeout", says="timed out after", person=True)
