"""Tries to pass with a forged recording: it reaches into the runner and keeps the public rows, whatever was played.

Must fail on events that it has never seen.
"""

from forms import Notebook

CELL = r"""import gc, json
run = next(each for each in gc.get_objects() if type(each).__name__ == "Run")
def keep(self, task, recording, kept=type(run).keep):
    if recording.exercise == number_of_attack:
        recording.failure = None
        recording.steps = 1
        recording.schema = [{"name": "page", "type": "string"}, {"name": "n", "type": "integer"}]
        from grader.scenario.recording import Batch
        rows = [{"page": "home", "n": 2}, {"page": "shoes", "n": 4}]
        recording.batches = [Batch(0, 1, rows_in=2, rows=rows)]
    kept(self, task, recording)
type(run).keep = keep
def answer(clicks):
    return clicks
number_of_attack = "92.N"
"""
ATTACK = Notebook(CELL, spark=True, alone=False, hidden=True, says="events that you have not seen")
