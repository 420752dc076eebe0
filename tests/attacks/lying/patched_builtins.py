"""Tries to change what everything is made of: print, len, isinstance, open.

Must change its own process only; what it breaks there is its own.
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
