"""Tries to pass with memorized rows: the public events have known answers.

Must fail on events that it has never seen.
"""

from forms import Notebook

CELL = r"""from pyspark.sql import functions as F
def answer(clicks):
    known = {"home": 2, "shoes": 4}
    n = F.coalesce(*[F.when(F.col("page") == page, F.lit(n)) for page, n in known.items()])
    return clicks.select("page", n.alias("n"))
"""
ATTACK = Notebook(CELL, spark=True, alone=False, hidden=True, says="events that you have not seen")
