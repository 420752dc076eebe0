"""Tries to have an exercise judged that does not belong to the lesson.

Must be told that its progress file is corrupt.
"""

from forms import Notebook

CELL = r"""import sys
with open(sys.argv[1] + "/events.jsonl", "a") as file:
    file.write('{"event": "exercise", "exercise": "99.1", "found": true}\n')
def answer(clicks):
    return clicks
"""
ATTACK = Notebook(CELL, status="error", says="spoilt", person=True)
