"""Tries to make the judge read another file of the machine: a link in the place of its recording.

Must not be able to put one there; what stays is judged.
"""

from forms import Notebook

CELL = """import os, sys
from pathlib import Path
recording = Path(sys.argv[1]) / "recordings" / "0.jsonl"
try:
    os.unlink(recording)
    os.symlink("/etc/passwd", recording)
except OSError as error:
    print("refused", error)
def answer(clicks):
    return clicks
"""
ATTACK = Notebook(CELL, shows="refused")
