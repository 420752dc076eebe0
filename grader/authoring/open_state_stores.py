"""Files that Java holds open for state stores of plays that are over.

Spark keeps the stores of a query that has ended until its maintenance comes round, once a minute, and a store in
RocksDB holds a dozen files. Plays of a few seconds each, side by side, open files faster than that lets go of them
(80 a second were measured): in a process that plays hundreds, a system's limit of 20,000 has been met.
"""

from __future__ import annotations

import psutil
from pyspark.sql import SparkSession

from grader.runtime.spark_internals.java_gateway import java

MANY = 3000  # open files of a Java in which a moment without plays is worth waiting for


def has_many(spark: SparkSession) -> bool:
    """Whether the session's Java has so many files open that stores should be let go."""
    pid = java(spark).java.lang.ProcessHandle.current().pid()
    return psutil.Process(pid).num_fds() > MANY
