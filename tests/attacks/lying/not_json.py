"""Tries to break the judge by a recording that is no JSON.

Must cost its own exercise; the next ones are played by another process.
"""

from forms import Notebook

CELL = r"""import sys
from pathlib import Path
def answer(clicks):
    recording = Path(sys.argv[1]) / "recordings" / "0.jsonl"
    recording.write_text("not JSON\n")
    return clicks
"""
ATTACK = Notebook(CELL, status="error", says="cannot be read", person=True)
