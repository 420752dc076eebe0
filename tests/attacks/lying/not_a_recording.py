"""Tries to break the judge by JSON that is no recording.

Must cost its own exercise, and no other.
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
