"""Private members of a SparkContext and of the JVM that it runs in."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from grader.runtime.spark_internals.java_gateway import class_of, java, opened
from grader.runtime.spark_internals.verified_spark import since

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

WORKER_MONITOR = "Idle Worker Monitor"  # how Spark's name of such a thread begins


@since("1.0")
def has_context() -> bool:
    """Whether a SparkContext of this process runs."""
    from pyspark import SparkContext

    return SparkContext._active_spark_context is not None


@since("2.0")
def stop_context() -> None:
    """Stop the session and the SparkContext of this process, if there are any."""
    from pyspark import SparkContext
    from pyspark.sql import SparkSession

    session = SparkSession.getActiveSession() or SparkSession._instantiatedSession
    if session is not None:
        session.stop()
    elif SparkContext._active_spark_context is not None:
        SparkContext._active_spark_context.stop()


@since("1.0")
def scala_context(context: Any) -> Any:
    """Scala's SparkContext of one of Python's."""
    return context._jsc.sc()


@since("1.0")
def executor_count(context: Any) -> int:
    """How many executors a context has; its driver is none."""
    return int(scala_context(context).getExecutorMemoryStatus().size()) - 1


@since("1.0")
def handle_accumulator_errors(context: Any, handle: Callable[..., None]) -> None:
    """Have the errors of PySpark's accumulator server handled instead of printed."""
    context._accumulatorServer.handle_error = handle


@since("3.0")
def drop_hadoop_defaults(context: Any, files: Sequence[str]) -> None:
    """Remove files of defaults from Hadoop's settings, for all that this JVM makes from now on.

    For the second session of a JVM they are gone.
    """
    configuration = class_of(context._jvm, "org.apache.hadoop.conf.Configuration")
    there = opened(configuration.getDeclaredField("defaultResources")).get(None)
    for file in set(files).intersection(there):
        there.remove(file)
    context._jsc.hadoopConfiguration().reloadConfiguration()


@since("4.0")
def delete_within_java(context: Any, so: bool = True) -> None:
    """Let Java delete folders itself; with so=False as Spark does it.

    Spark runs `rm -rf` for each, made for large ones (JavaUtils.deleteRecursively in 4.2.0). A state store in
    RocksDB deletes small ones at every load, commit and close.
    """
    utils = class_of(context._jvm, "org.apache.spark.network.util.JavaUtils")
    opened(utils.getDeclaredField("isUnix")).setBoolean(None, not so)  # nothing else asks again


@since("4.0")
def start_connect(session: SparkSession, port: int, *, again: bool) -> None:
    """Let a session's JVM serve Spark Connect on a port of the loopback.

    `again` says that it did so for an application that has ended: it would not start.
    """
    jvm, context = java(session), scala_context(session.sparkContext)
    context.conf().set("spark.connect.grpc.binding.address", "127.0.0.1")
    context.conf().set("spark.connect.grpc.binding.port", str(port))
    service = jvm.org.apache.spark.sql.connect.service.SparkConnectService
    if again:
        nothing = jvm.scala.Option.empty()
        service.stop(nothing, nothing)
    service.start(context)


@since("4.0")
def stray_monitors(session: SparkSession, count: int) -> list[Any]:
    """Of `count` threads of Java those that look for idle Python workers of a factory which no task uses."""
    jvm, context = java(session), session.sparkContext
    threads = context._gateway.new_array(jvm.java.lang.Thread, count)  # type: ignore[union-attr]
    found = [threads[n] for n in range(jvm.java.lang.Thread.enumerate(threads))]
    env = jvm.org.apache.spark.SparkEnv.get()
    if env is None:  # no Spark runs in this JVM
        return []
    factories = opened(env.getClass().getDeclaredField("pythonWorkers")).get(env).values().toSeq()
    return [
        thread
        for thread in found
        if thread.getName().startswith(WORKER_MONITOR) and not factories.contains(_outer(thread))
    ]


def _outer(thing: Any) -> Any:
    """The object in whose inner class a thing was made."""
    return opened(thing.getClass().getDeclaredField("$outer")).get(thing)
