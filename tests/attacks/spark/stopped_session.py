"""Tries to leave no Spark for its own later exercises: it stops the session.

Must be judged; a new session is made for the others.
"""

from forms import Notebook

CELL = r"""from grader.learner import notebook_lab as lab
lab.start().spark.stop()
def answer(clicks):
    return clicks
"""
ATTACK = Notebook(CELL, spark=True, alone=False)
