"""Tries to run a stream without end: awaitTermination in its answer.

Must be told that the check starts the query; its stream is ended.
"""

from forms import Notebook

CELL = r"""def answer(clicks):
    query = clicks.writeStream.format("noop").start()
    query.awaitTermination()
"""
ATTACK = Notebook(CELL, spark=True, alone=False, says="awaitTermination")
