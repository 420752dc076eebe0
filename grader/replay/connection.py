"""Connections between Python and the JVM that py4j would leave as they are."""

from __future__ import annotations

import contextlib
import socket
from typing import Any

from pyspark import SparkContext
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


class CalledBack:
    """The connections on which the JVM has called a foreachBatch function.

    py4j opens one for each JVM thread that calls, each query's thread is a new one, and nothing
    closes it when that thread has ended: a Python thread and two sockets would stay for every query.
    """

    def __init__(self) -> None:
        self._connections: set[Any] = set()

    def note(self) -> None:
        """To be called by the function itself: remember the connection that it was called on."""
        gateway = SparkContext._gateway
        assert gateway is not None
        self._connections.add(gateway._gateway_client.get_thread_connection())

    def hang_up(self) -> None:
        """Close them; the queries that called must have ended. Their Python threads end, too."""
        for connection in self._connections:
            # close() would wait for the thread that reads from it
            with contextlib.suppress(OSError, AttributeError):
                connection.socket.shutdown(socket.SHUT_RDWR)
        self._connections.clear()
