"""Tries to break the judge with a hundred thousand brackets.

Must lose its own exercise, and no other.
"""

from forms import Notebook

CELL = r"""import sys
from pathlib import Path
def answer(clicks):
    recording = Path(sys.argv[1]) / "recordings" / "0.jsonl"
    recording.write_text("[" * 100_000 + "\n")
    return clicks
"""
ATTACK = Notebook(CELL, status="error", says="cannot be read", person=True)
