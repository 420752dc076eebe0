"""Tries to change the built-in functions that all code uses: print, len, isinstance, open.

Must change only its own process; what it breaks there is its own.
"""

from forms import Notebook

CELL = """import builtins
def answer(clicks):
    builtins.isinstance = lambda *a: True
    builtins.open = None
    builtins.len = lambda *a: 2
    return clicks
"""
ATTACK = Notebook(CELL, status="error", person=True, others="passed", says="(?s).")
