"""Tries to break the judge with JSON that is not a recording.

Must lose its own exercise, and no other.
"""

from forms import Notebook

CELL = r"""import sys
from pathlib import Path
def answer(clicks):
    recording = Path(sys.argv[1]) / "recordings" / "0.jsonl"
    recording.write_text('{"version": 1, "batches": [{"operators": [], "id": "x"}]}\n')
    return clicks
"""
ATTACK = Notebook(CELL, status="error", says="cannot be read", person=True)
