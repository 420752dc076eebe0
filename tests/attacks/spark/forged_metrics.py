"""Tries to look better than it is with forged progress: it changes the reported state, watermark and time.

Must fail anyway, because of its rows.
"""

from forms import Notebook

CELL = """
import gc
from grader.scenario.recording import Operator
run = next(each for each in gc.get_objects() if type(each).__name__ == "Run")
def keep(self, task, recording, kept=type(run).keep):
    if recording.exercise == "92.N":
        recording.seconds = 0.001
        recording.checkpoint = {"files": 0, "bytes": 0}
        for batch in recording.batches:
            batch.operators = [Operator("stateStoreSave", rows_total=0)]
            batch.watermark = "2030-01-01T00:00:00Z"
            batch.seconds = 0.0
    kept(self, task, recording)
type(run).keep = keep
def answer(clicks):
    return clicks
"""
ATTACK = Notebook(CELL, spark=True, alone=False)
