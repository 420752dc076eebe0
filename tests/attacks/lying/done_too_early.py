"""Tries to end the check before it began, by saying that everything is done.

Must get no points: its own process skipped what was not played.
"""

from forms import Notebook

CELL = r"""import sys, time
with open(sys.argv[1] + "/events.jsonl", "a") as file:
    file.write('{"event": "done"}\n')
time.sleep(1)
def answer(clicks):
    return clicks
"""
ATTACK = Notebook(CELL, status="error", others="error", says="skipped", person=True)
