"""Files that the JVM holds open for state stores of plays that are over.

When a query has ended, Spark keeps its stores until the next maintenance, which runs once a minute. A store in
RocksDB holds a dozen files. Plays of a few seconds each, side by side, open files faster than the maintenance
closes them: we measured 80 per second. A process that played hundreds reached a system's limit of 20,000.
"""

from __future__ import annotations

import psutil
from pyspark.sql import SparkSession

from grader.runtime.spark_internals.java_gateway import java

MANY = 3000  # with so many open files in the JVM, it is worth waiting for a moment without plays


def has_many(spark: SparkSession) -> bool:
    """Whether the session's JVM has so many files open that stores should be unloaded."""
    pid = java(spark).java.lang.ProcessHandle.current().pid()
    return psutil.Process(pid).num_fds() > MANY
