"""What Delta Lake keeps of the tables that were used in this JVM."""

from __future__ import annotations

from typing import TYPE_CHECKING

from grader.runtime.spark_internals.java_gateway import java
from grader.runtime.spark_internals.verified_spark import since

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@since("4.1")
def forget_table(session: SparkSession, path: str) -> None:
    """Remove the log of the table in a folder from Delta's cache; the next use reads it from the files.

    Delta keeps the log for an hour after its last use, and the log keeps the sessions that used it.
    """
    jvm = java(session)
    place = jvm.org.apache.hadoop.fs.Path(path)
    jvm.org.apache.spark.sql.delta.DeltaLog.invalidateCache(session._jsparkSession, place)
