"""Tries to fill the memory of the judge by a recording of 100 MB.

Must not be read further than 64 MB, and cost its own exercise.
"""

from forms import Notebook

CELL = r"""import sys
from pathlib import Path
def answer(clicks):
    recording = Path(sys.argv[1]) / "recordings" / "0.jsonl"
    recording.write_bytes(b"x" * (100 << 20) + b"\n")
    return clicks
"""
ATTACK = Notebook(CELL, status="error", says="larger than 64 MB", person=True)
