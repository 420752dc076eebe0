"""Tries to have a recording judged before it was requested.

Must lose its own exercise: there is nothing to judge.
"""

from forms import Notebook

CELL = r"""import sys
with open(sys.argv[1] + "/events.jsonl", "a") as file:
    file.write('{"event": "recorded", "exercise": "92.1"}\n')
def answer(clicks):
    return clicks
"""
ATTACK = Notebook(CELL, status="error", says="spoilt", person=True)
