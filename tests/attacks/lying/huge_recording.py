"""Tries to fill the judge's memory with a recording of 70 MB.

Must not be read beyond 64 MB, and lose its own exercise.
"""

from forms import Notebook

CELL = r"""import sys
from pathlib import Path
def answer(clicks):
    recording = Path(sys.argv[1]) / "recordings" / "0.jsonl"
    with recording.open("wb") as written:
        written.truncate(70 << 20)  # a file with a hole: made at once on any machine
    return clicks
"""
ATTACK = Notebook(CELL, status="error", says="larger than 64 MB", person=True)
