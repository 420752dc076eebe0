"""Tries to use a fake Spark: it changes the functions of pyspark that start a query and read its rows.

Must get no points: what its Spark does not do is not recorded.
"""

from forms import Notebook

CELL = r"""from pyspark.sql import DataFrame
from pyspark.sql.streaming.readwriter import DataStreamWriter
class Passed:
    id = runId = "0"
    isActive = False
    lastProgress = recentProgress = []
    def __getattr__(self, name):
        return lambda *args, **kwargs: None
DataStreamWriter.start = lambda self, *args, **kwargs: Passed()
def answer(clicks):
    return clicks
"""
ATTACK = Notebook(CELL, spark=True, status="error", others="error")
