"""The session that Spark hands out to a program that asks for one."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from grader.runtime.spark_internals.verified_spark import since


@since("3.0")
@contextmanager
def default_session_kept() -> Iterator[None]:
    """Hand out the same session after the block as before it.

    For plays side by side: each makes its session the one that Spark hands out, and then puts back what it
    found. That may be the session of another play. Source: PySpark keeps both in its class, for all threads.
    """
    from pyspark.sql import SparkSession

    before = SparkSession._activeSession, SparkSession._instantiatedSession
    try:
        yield
    finally:
        SparkSession._activeSession, SparkSession._instantiatedSession = before
