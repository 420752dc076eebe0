"""Tries to have a recording judged before it was ordered.

Must cost its own exercise: there is nothing that could be judged.
"""

from forms import Notebook

CELL = r"""import sys
with open(sys.argv[1] + "/events.jsonl", "a") as file:
    file.write('{"event": "recorded", "exercise": "92.1"}\n')
def answer(clicks):
    return clicks
"""
ATTACK = Notebook(CELL, status="error", says="spoilt", person=True)
