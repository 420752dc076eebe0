"""Tries to end its process when its answer is played.

Must lose its own exercise, and no other.
"""

from forms import Notebook

CELL = """import os
def answer(clicks):
    os._exit(7)
"""
ATTACK = Notebook(CELL, status="error", says="exit code 7", person=True)
