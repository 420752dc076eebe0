"""PySpark's way to its JVM: the gateway, its connections, and classes by reflection."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any

from grader.runtime.spark_internals.verified_spark import since

if TYPE_CHECKING:
    import subprocess

    from pyspark.sql import SparkSession


@since("1.0")
def java(session: SparkSession) -> Any:
    """The classes of a session's JVM by their full names, such as `java(spark).java.time.Instant`."""
    return session._jvm


def has_gateway() -> bool:
    """Whether this process is connected to a JVM; does not import PySpark."""
    pyspark = sys.modules.get("pyspark")
    return pyspark is not None and pyspark.SparkContext._gateway is not None


@since("2.4")
def connect(process: subprocess.Popen[bytes], port: int, secret: str) -> None:
    """Let the next context use the JVM that listens on a port, with this secret."""
    from pyspark import SparkContext
    from pyspark.java_gateway import launch_gateway

    given = {"PYSPARK_GATEWAY_PORT": str(port), "PYSPARK_GATEWAY_SECRET": secret}
    os.environ.update(given)
    try:
        gateway: Any = launch_gateway()
    finally:
        for name in given:
            del os.environ[name]
    gateway.proc = process
    SparkContext._ensure_initialized(gateway=gateway)


@since("1.0")
def disconnect(*, forget: bool = False) -> None:
    """Close the connections to Java; with `forget` the next context must connect to another JVM."""
    from pyspark import SparkContext

    gateway = SparkContext._gateway
    if forget:
        SparkContext._gateway = SparkContext._jvm = None
    if gateway is not None:
        gateway.shutdown()


@since("3.0")
def thread_connection(session: SparkSession) -> Any:
    """The connection that this thread's calls of Java use; None before its first."""
    return java(session)._gateway_client.get_thread_connection()


@since("3.0")
def drop_connection(session: SparkSession) -> None:
    """Give up this thread's connection: an interrupted call left its unread answer on it.

    The next call opens a new one. Source: py4j's JavaClient keeps one connection per thread and
    reads answers in order.
    """
    connection = thread_connection(session)
    if connection is not None:
        connection.close()
    java(session)._gateway_client.thread_connection.__dict__.clear()


@since("3.0")
def class_of(jvm: Any, name: str) -> Any:
    """A class of Spark, or of what it brings, for reflection."""
    return jvm.org.apache.spark.util.Utils.classForName(name, True, False)


def opened(member: Any) -> Any:
    """A field or method of Java, its privacy lifted."""
    member.setAccessible(True)
    return member
