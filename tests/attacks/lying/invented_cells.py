"""Tries to go on for ever by telling of cells that there are not.

Must be told that its progress file is spoilt.
"""

from forms import Notebook

CELL = r"""import sys
with open(sys.argv[1] + "/events.jsonl", "a") as file:
    file.write('{"event": "cell", "cell": 4711}\n')
def answer(clicks):
    return clicks
"""
ATTACK = Notebook(CELL, status="error", says="spoilt", person=True)
