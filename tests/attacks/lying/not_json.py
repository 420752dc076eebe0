"""Tries to break the judge with a recording that is not JSON.

Must lose its own exercise; another process plays the next ones.
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
