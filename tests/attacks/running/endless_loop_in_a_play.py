"""Tries to loop without end when its answer is played.

Must be interrupted at the time limit of a play.
"""

from forms import Notebook

CELL = """def answer(clicks):
    while True:
        pass
"""
ATTACK = Notebook(CELL, status="timeout", says="timed out after", person=True)
