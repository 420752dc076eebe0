"""A Spark session for one replay, and nothing of it left behind."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from pyspark.errors import PySparkException
from pyspark.sql import SparkSession
from pyspark.sql.streaming.query import StreamingQuery

from grader.runtime.spark_internals.session_internals import remove_listener, wait_for_listeners

LISTENING_MS = 10_000


def new_session(spark: SparkSession, settings: Mapping[str, str]) -> SparkSession:
    """A session of its own on the same Spark: settings and temporary views do not leak."""
    session = spark.newSession()
    for name, value in settings.items():
        session.conf.set(name, value)
    return session


def settings_of(session: SparkSession, asked: Iterable[str]) -> dict[str, str]:
    """The SQL settings that a session was given, and what holds for those that are asked for."""
    given = session.conf.getAll
    found = {name: value for name, value in given.items() if name.startswith("spark.sql.")}
    for name in asked:
        try:
            found.setdefault(name, str(session.conf.get(name)))
        except PySparkException:  # neither given nor with a default
            continue
    return found


def forget_session(session: SparkSession) -> None:
    """Take what a session listens with off Spark's event queue; its queries must have ended.

    Spark puts a listener there for every session, and one for every run of a query, and never
    takes them away: each event then goes to all of them, and a lab slows down with every check.
    """
    remove_listener(session)


def forget_run(session: SparkSession, query: StreamingQuery) -> None:
    """The same for one run of a query that has ended: Spark runs it in a session of its own."""
    remove_listener(session, query)


def notify_listeners(session: SparkSession) -> None:
    """Wait until every listener has been told what has happened so far: Spark tells them in a queue."""
    wait_for_listeners(session, LISTENING_MS)
