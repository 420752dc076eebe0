"""Tries to have steps skipped by a forged checkpoint: it writes commits and offsets of batches that never ran.

Must be refused by Spark itself: each play gets a fresh checkpoint, and this one is not fresh.
"""

from forms import Notebook

CELL = r"""import json
from pathlib import Path
def answer(clicks):
    import glob
    for folder in glob.glob("/tmp/stateful-streams-*/checkpoint-*/"):
        for part in ("offsets", "commits"):
            place = Path(folder) / "checkpoint" / part
            place.mkdir(parents=True, exist_ok=True)
            for batch in range(9):
                (place / str(batch)).write_text('v1\n{"nextBatchWatermarkMs":0}')
    return clicks
"""
ATTACK = Notebook(CELL, spark=True, alone=False, status="error", says="inconsistent state")
