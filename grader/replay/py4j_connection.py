"""Connections between Python and the JVM that py4j would leave as they are."""

from __future__ import annotations

import contextlib
import socket
from typing import Any
from weakref import WeakKeyDictionary

from pyspark import SparkContext
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.streaming.readwriter import DataStreamWriter

_called: WeakKeyDictionary[SparkSession, set[Any]] = WeakKeyDictionary()


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


def note_callbacks(session: SparkSession) -> None:
    """From now on remember the connections on which the JVM calls this session's foreachBatch functions.

    py4j opens one for each JVM thread that calls, each query's thread is a new one, and nothing
    closes it when that thread has ended: a Python thread and two sockets would stay for every query.
    """
    _called[session] = set()
    if not hasattr(DataStreamWriter.foreachBatch, "plain"):
        _wrap_foreach_batch()


def hang_up(session: SparkSession) -> None:
    """Close those connections; the queries that called must have ended. Their Python threads end, too."""
    for connection in _called.pop(session, ()):
        # close() would wait for the thread that reads from it
        with contextlib.suppress(OSError, AttributeError):
            connection.socket.shutdown(socket.SHUT_RDWR)


def _wrap_foreach_batch() -> None:
    plain = DataStreamWriter.foreachBatch

    def foreach_batch(self: Any, func: Any) -> Any:
        connections = _called.get(self._spark)
        if connections is None or not callable(func):
            return plain(self, func)

        def called(rows: DataFrame, batch: int) -> None:
            gateway: Any = SparkContext._gateway
            connections.add(gateway._gateway_client.get_thread_connection())
            func(rows, batch)

        return plain(self, called)

    foreach_batch.plain = plain  # type: ignore[attr-defined]
    DataStreamWriter.foreachBatch = foreach_batch  # type: ignore[method-assign]
