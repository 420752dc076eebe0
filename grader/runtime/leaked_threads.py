"""Ends JVM threads that Spark leaks: otherwise each holds a query's session for as long as the JVM runs.

Spark starts a Python worker on the driver for each query with `transformWithStateInPandas`, and for each with
a Python data source. Its PythonWorkerFactory has a thread that looks for idle workers. The thread finds
nothing, and does not end with the query. In 4.2.0 it is the class MonitorThread in
core/src/main/scala/org/apache/spark/api/python/PythonWorkerFactory.scala. Because the thread inherits the
session that was active, plans and settings stay in memory.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable
from typing import Any

from py4j.protocol import Py4JError
from pyspark.sql import SparkSession

from grader.runtime.spark_internals.context_internals import stray_monitors
from grader.runtime.spark_internals.java_gateway import java

SOME = 64  # so many more threads than there were are worth a look at each: a look takes 50 ms

_seen = 1 << 30  # how many threads Java had after the last look, or at the first call


def end_stray_threads(spark: SparkSession, *, some: int = SOME) -> list[Any]:
    """End them if the JVM has `some` threads more than after the last look; returns the ended threads.

    If the JVM does not answer, this function ignores it: the next use of the JVM raises the error.
    """
    global _seen
    with contextlib.suppress(Py4JError, OSError):
        jvm = java(spark)
        count = jvm.java.lang.Thread.activeCount()
        _seen = min(_seen, count)
        if count >= _seen + some:
            strays = stray_monitors(spark, count)
            _end(strays, jvm)
            _seen = count - len(strays)
            return strays
    return []


def _end(threads: Iterable[Any], jvm: Any) -> None:
    quiet = _quiet(jvm)
    for thread in threads:
        thread.setUncaughtExceptionHandler(quiet)  # an interrupted sleep is its end, and no error
        thread.interrupt()


def _quiet(jvm: Any) -> Any:
    """A handler of uncaught exceptions that does nothing."""
    lang = jvm.java.lang
    kinds = jvm.java.util.ArrayList()
    kinds.add(lang.Class.forName("java.lang.Thread"))
    kinds.add(lang.Class.forName("java.lang.Throwable"))
    nothing = lang.invoke.MethodHandles.empty(
        lang.invoke.MethodType.methodType(lang.Void.TYPE, kinds)
    )
    handler = lang.Class.forName("java.lang.Thread$UncaughtExceptionHandler")
    return lang.invoke.MethodHandleProxies.asInterfaceInstance(handler, nothing)
