"""Tries to loop without end in a worker of Spark, which no exception of the runner reaches.

Must be interrupted at the time limit of a play.
"""

from forms import Notebook

CELL = r"""from pyspark.sql import functions as F
def answer(clicks):
    @F.udf("int")
    def twice(n):
        while True:
            pass
    return clicks.select("page", twice("n").alias("n"))
"""
ATTACK = Notebook(
    CELL,
    spark=True,
    alone=False,
    seconds=8,
    status="timeout",
    says="came back within",
    person=True,
)
