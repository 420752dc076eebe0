"""A Spark session for one replay, and nothing of it left behind."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from pyspark.errors import PySparkException
from pyspark.sql import SparkSession
from pyspark.sql.streaming.query import StreamingQuery

_MANAGER = "org.apache.spark.sql.classic.StreamingQueryManager"
_PRODUCERS = "org.apache.spark.sql.kafka010.producer.InternalKafkaProducerPool"
LISTENING_MS = 10_000


def new_session(spark: SparkSession, settings: Mapping[str, str]) -> SparkSession:
    """A session of its own on the same Spark: settings and temporary views do not leak."""
    session = spark.newSession()
    for name, value in settings.items():
        session.conf.set(name, value)
    return session


@contextmanager
def active(session: SparkSession) -> Iterator[None]:
    """Make a session the one that Spark hands out, as it is for a program that made it.

    `SparkSession.getActiveSession()` and `SparkSession.builder.getOrCreate()` give this one until
    the block ends; a setting given to the builder does not reach the session of before.
    """
    sessions = SparkSession._get_j_spark_session_class(session._jvm)
    before = SparkSession._activeSession, SparkSession._instantiatedSession
    java_before = sessions.getActiveSession()
    SparkSession._activeSession = SparkSession._instantiatedSession = session
    sessions.setActiveSession(session._jsparkSession)
    try:
        yield
    finally:
        SparkSession._activeSession, SparkSession._instantiatedSession = before
        if java_before.isDefined():
            sessions.setActiveSession(java_before.get())
        else:
            sessions.clearActiveSession()


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
    _stop_listening(session, session._jsparkSession)  # type: ignore[attr-defined]


def forget_run(session: SparkSession, query: StreamingQuery) -> None:
    """The same for one run of a query that has ended: Spark runs it in a session of its own."""
    _stop_listening(session, query._jsq.streamingQuery().sparkSessionForStream())  # type: ignore[attr-defined]


def _stop_listening(session: SparkSession, java_session: Any) -> None:
    jvm = session._jvm
    assert jvm is not None
    field = jvm.java.lang.Class.forName(_MANAGER).getDeclaredField("listenerBus")
    field.setAccessible(True)
    queue = session.sparkContext._jsc.sc().listenerBus()  # type: ignore[attr-defined]
    queue.removeListener(field.get(java_session.streams()))


def tell_listeners(session: SparkSession) -> None:
    """Wait until every listener has been told what has happened so far: Spark tells them in a queue."""
    session.sparkContext._jsc.sc().listenerBus().waitUntilEmpty(LISTENING_MS)  # type: ignore[attr-defined]


def close_producers(session: SparkSession) -> None:
    """Close the Kafka producers that Spark keeps and no query uses; before their topics are deleted.

    A producer asks for all topics of its last five minutes at once, and a broker that makes topics
    when they are asked for (Kafka's default) makes those anew that have been deleted meanwhile.
    Spark itself closes idle producers once a minute (`PRODUCERS_IDLE`, in grader.runtime.spark_session).
    """
    jvm = session._jvm
    assert jvm is not None
    pools = jvm.org.apache.spark.util.Utils.classForName(_PRODUCERS + "$", True, False)
    pool = _opened(pools.getDeclaredMethod("pool", None)).invoke(
        pools.getField("MODULE$").get(None), None
    )
    _opened(pool.getClass().getDeclaredMethod("evictExpired", None)).invoke(pool, None)


def _opened(method: Any) -> Any:
    method.setAccessible(True)
    return method
