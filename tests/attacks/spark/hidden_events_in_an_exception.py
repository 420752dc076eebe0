"""Tries to leak hidden events: an exception whose message contains them.

Must be reported by its kind alone: of hidden events no message is kept.
"""

from forms import Notebook

CELL = r"""from pyspark.sql import functions as F
def answer(clicks):
    @F.udf("int")
    def twice(n):
        if n > 9:
            raise ValueError(f"a hidden event has n={n}: a word that nobody " + "else may read")
        return 2 * n
    return clicks.select("page", twice("n").alias("n"))
"""
ATTACK = Notebook(
    CELL, spark=True, alone=False, hidden=True, status="error", says="an exception: ValueError'"
)
