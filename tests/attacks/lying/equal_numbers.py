"""Tries to be equal to every number: not-a-number, infinity and True as values.

Must fail like any wrong value.
"""

from forms import Notebook

CELL = """def answer(clicks):
    return [{"page": "home", "n": float("nan")}, {"page": "shoes", "n": float("inf")}]
"""
ATTACK = Notebook(CELL)
