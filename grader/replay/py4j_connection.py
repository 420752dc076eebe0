"""Connections between Python and the JVM that py4j would leave as they are."""

from __future__ import annotations

import contextlib
import socket
from typing import Any
from weakref import WeakKeyDictionary

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.streaming.readwriter import DataStreamWriter

from grader.runtime.spark_internals.java_gateway import thread_connection
from grader.runtime.spark_internals.query_internals import session_of

_called: WeakKeyDictionary[SparkSession, set[Any]] = WeakKeyDictionary()


def note_callbacks(session: SparkSession) -> None:
    """From now on remember the connections on which the JVM calls this session's foreachBatch functions.

    py4j opens a connection for each JVM thread that calls, and each query has a new thread. Nothing closes
    the connection when that thread has ended: a Python thread and two sockets would stay for every query.
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
        session = session_of(self)
        connections = _called.get(session)
        if connections is None or not callable(func):
            return plain(self, func)

        def called(rows: DataFrame, batch: int) -> None:
            connections.add(thread_connection(session))
            func(rows, batch)

        return plain(self, called)

    foreach_batch.plain = plain  # type: ignore[attr-defined]
    DataStreamWriter.foreachBatch = foreach_batch  # type: ignore[method-assign]
