"""Tries to wait for input that never comes.

Must be told that there is none.
"""

from forms import Notebook

CELL = """input("Your name? ")
def answer(clicks):
    return clicks
"""
ATTACK = Notebook(CELL, status="error", says="EOFError", person=True)
