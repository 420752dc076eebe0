"""Tries to break the supervisor with progress of a wrong type.

Must be told that its progress file is corrupt.
"""

from forms import Notebook

CELL = r"""import sys
with open(sys.argv[1] + "/events.jsonl", "a") as file:
    file.write('{"event": "cell", "cell": "seven"}\n')
def answer(clicks):
    return clicks
"""
ATTACK = Notebook(CELL, status="error", says="spoilt", person=True)
