"""Tries to go on forever by reporting cells that do not exist.

Must be told that its progress file is corrupt.
"""

from forms import Notebook

CELL = r"""import sys
with open(sys.argv[1] + "/events.jsonl", "a") as file:
    file.write('{"event": "cell", "cell": 4711}\n')
def answer(clicks):
    return clicks
"""
ATTACK = Notebook(CELL, status="error", says="spoilt", person=True)
