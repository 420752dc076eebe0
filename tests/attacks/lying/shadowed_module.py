"""Tries to have its own json.py imported instead of the real module, from the folder that it handed in.

Must change only its own process, whose progress file is corrupt.
"""

from forms import Notebook

CELL = r"""from pathlib import Path
for name in ("json", "pyspark", "grader", "sitecustomize"):
    Path(f"{name}.py").write_text("def dumps(*a, **k):\n    return 'passed'\nscore = 2.0\n")
import importlib, json
importlib.reload(json)
def answer(clicks):
    return clicks
"""
ATTACK = Notebook(CELL, status="error", says="spoilt", person=True)
