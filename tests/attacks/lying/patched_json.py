"""Tries to change the recording while it is written: json.dumps adds "passed" and points to everything.

Must get no points: the judge reads no verdict from there, and what it wrote is not a recording.
"""

from forms import Notebook

CELL = """import json
dumps = json.dumps
def lying(value, **how):
    if isinstance(value, dict):
        value = {**value, "status": "passed", "score": 2.0, "passed": True, "points": 2.0}
    return dumps(value, **how)
json.dumps = lying
def answer(clicks):
    return clicks

"""
ATTACK = Notebook(CELL, status="error", others="error", says="cannot be read", person=True)
