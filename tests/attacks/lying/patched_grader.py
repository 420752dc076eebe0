"""Tries to change the package that judges: its comparing functions, points and verdicts.

Must change only its own process, which judges nothing.
"""

from forms import Notebook

CELL = """import grader.judging.criteria, grader.judging.judge, grader.judging.verdict
for module in (grader.judging.criteria, grader.judging.judge, grader.judging.verdict):
    for name, value in list(vars(module).items()):
        if callable(value):
            setattr(module, name, lambda *args, **kwargs: True)
def answer(clicks):
    return clicks

"""
ATTACK = Notebook(CELL)
