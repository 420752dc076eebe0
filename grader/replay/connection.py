"""A thread's connection to the JVM, after Python code was interrupted in the middle of a call."""

from __future__ import annotations

from pyspark.sql import SparkSession


def drop_connection(session: SparkSession) -> None:
    """Give up this thread's connection: an interrupted call left its unread answer on it.

    The next call opens a new one. Source: py4j's JavaClient keeps one connection a thread and
    reads answers in order.
    """
    client = session._jvm._gateway_client  # type: ignore[union-attr]
    connection = client.get_thread_connection()
    if connection is not None:
        connection.close()
    client.thread_connection.__dict__.clear()
