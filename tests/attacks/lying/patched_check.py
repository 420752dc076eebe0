"""Tries to make every check say "passed": its cell replaces grader.check by another function.

Must be judged by what its answer does, and fail.
"""

from forms import Notebook

CELL = """import grader
grader.check = lambda *args, **kwargs: 2.0
print("passed: 2 of 2 points")
def answer(clicks):
    return clicks

"""
ATTACK = Notebook(CELL)
