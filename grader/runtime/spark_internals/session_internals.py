"""Private members of a SparkSession: what it hands out, listens with and keeps."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from grader.runtime.spark_internals.context_internals import scala_context
from grader.runtime.spark_internals.java_gateway import class_of, java, opened
from grader.runtime.spark_internals.query_internals import execution_of
from grader.runtime.spark_internals.verified_spark import since

if TYPE_CHECKING:
    from pyspark.sql import SparkSession
    from pyspark.sql.streaming.query import StreamingQuery

_QUERIES = "org.apache.spark.sql.classic.StreamingQueryManager"
_PRODUCERS = "org.apache.spark.sql.kafka010.producer.InternalKafkaProducerPool$"


@since("1.0")
def is_stopped(session: SparkSession) -> bool:
    """Whether a session's SparkContext was stopped."""
    return session.sparkContext._jsc is None


@contextmanager
def active(session: SparkSession) -> Iterator[None]:
    """Make a session the active one, as it is for a program that made it.

    `SparkSession.getActiveSession()` and `SparkSession.builder.getOrCreate()` give this one until
    the block ends; a setting given to the builder does not reach the session of before.
    """
    from pyspark.sql import SparkSession

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


@since("4.0")
def remove_listener(session: SparkSession, query: StreamingQuery | None = None) -> None:
    """Remove the listener of a session, or of the session in which Spark runs a query, from Spark's event queue."""
    of: Any = (
        session._jsparkSession if query is None else execution_of(query).sparkSessionForStream()
    )  # type: ignore[attr-defined]
    field = opened(class_of(java(session), _QUERIES).getDeclaredField("listenerBus"))
    _event_queue(session).removeListener(field.get(of.streams()))


@since("2.3")
def wait_for_listeners(session: SparkSession, milliseconds: int) -> None:
    """Wait until every listener has what is in Spark's event queue."""
    _event_queue(session).waitUntilEmpty(milliseconds)


def _event_queue(session: SparkSession) -> Any:
    return scala_context(session.sparkContext).listenerBus()


@since("2.3")
def physical_plans(session: SparkSession, run_id: str) -> list[str]:
    """The physical plans of one run of a query as text, in order; of a replanned one the last version.

    Source: Spark's own SQL status store; every SQL execution of a micro-batch carries the
    query's run id in its description.
    """
    store = session._jsparkSession.sharedState().statusStore()  # type: ignore[attr-defined]
    executions = store.executionsList()
    found = (executions.apply(index) for index in range(executions.size()))
    return [str(one.physicalPlanDescription()) for one in found if run_id in one.description()]


@since("3.0")
def producer_pool(session: SparkSession) -> Any:
    """Spark's own pool of Kafka producers."""
    pools = class_of(java(session), _PRODUCERS)
    single = pools.getField("MODULE$").get(None)
    return opened(pools.getDeclaredMethod("pool", None)).invoke(single, None)


@since("3.0")
def close_idle_producers(session: SparkSession) -> None:
    """Close the Kafka producers that Spark keeps for later and no query uses now."""
    pool = producer_pool(session)
    opened(pool.getClass().getDeclaredMethod("evictExpired", None)).invoke(pool, None)


@since("2.0")
def unload_state_stores(session: SparkSession) -> None:
    """Close all state stores of the session's JVM. Not while a query runs: it would lose them."""
    stores = java(session).org.apache.spark.sql.execution.streaming.state
    getattr(getattr(stores, "StateStore$"), "MODULE$").unloadAll()
