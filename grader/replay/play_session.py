"""A Spark session for one replay, which leaves nothing behind."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from pyspark.errors import PySparkException
from pyspark.sql import SparkSession
from pyspark.sql.streaming.query import StreamingQuery

from grader.runtime.spark_internals.session_internals import remove_listener, wait_for_listeners

LISTENING_MS = 10_000


def new_session(spark: SparkSession, settings: Mapping[str, str]) -> SparkSession:
    """A separate session on the same Spark: settings and temporary views do not leak."""
    session = spark.newSession()
    for name, value in settings.items():
        session.conf.set(name, value)
    return session


def settings_of(session: SparkSession, asked: Iterable[str]) -> dict[str, str]:
    """The SQL settings that a session was given, and the values in force of the settings `asked`."""
    given = session.conf.getAll
    found = {name: value for name, value in given.items() if name.startswith("spark.sql.")}
    for name in asked:
        try:
            found.setdefault(name, str(session.conf.get(name)))
        except PySparkException:  # not given, and without a default
            continue
    return found


def forget_session(session: SparkSession) -> None:
    """Remove a session's listener from Spark's event queue; its queries must have ended.

    Spark adds a listener for every session and for every run of a query, and never removes it. Each event
    then goes to all of them, and a lab becomes slower with every check.
    """
    remove_listener(session)


def forget_run(session: SparkSession, query: StreamingQuery) -> None:
    """The same for one run of a query that has ended: Spark runs it in its own session."""
    remove_listener(session, query)


def notify_listeners(session: SparkSession) -> None:
    """Wait until every listener knows what has happened so far: Spark notifies them through a queue."""
    wait_for_listeners(session, LISTENING_MS)
