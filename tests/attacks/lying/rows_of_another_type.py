"""Tries to break the judge with rows that are not rows.

Must lose its own exercise, and no other.
"""

from forms import Notebook

CELL = """def answer(clicks):
    return [7, None, "rows"]
"""
ATTACK = Notebook(CELL, status="error", says="cannot be (read|judged)", person=True)
