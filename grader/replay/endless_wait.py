"""An answer that waits for the end of an endless query gets an error at once."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from pyspark.sql.streaming.query import StreamingQuery, StreamingQueryManager

from grader.runtime.spark_internals.query_internals import execution_of

# the triggers after which a query stops by itself
_ENDING = ("AvailableNowTrigger", "OneTimeTrigger")
_answer = threading.local()  # .runs: whether this thread is inside an answer


class WaitsForEver(BaseException):
    """Raised by a call that would not come back; not an Exception, so that `except Exception` does not catch it."""

    def __init__(self, call: str, queries: list[StreamingQuery]):
        super().__init__(call)
        self.call = call
        self.queries = queries


@contextmanager
def no_endless_wait() -> Iterator[None]:
    """Let awaitTermination() and awaitAnyTermination() raise WaitsForEver if nothing would end them.

    Only in this thread: a different one may be a lesson's own cell that waits on purpose.
    """
    _teach_waiting()
    _answer.runs = True
    try:
        yield
    finally:
        _answer.runs = False


def _teach_waiting() -> None:
    """Let the two methods look, once and for all, whether an answer calls them."""
    if hasattr(StreamingQuery.awaitTermination, "plain"):
        return
    await_one = StreamingQuery.awaitTermination
    await_any = StreamingQueryManager.awaitAnyTermination

    def one(query: StreamingQuery, timeout: int | None = None) -> Any:
        if _in_answer() and timeout is None and _endless(query):
            raise WaitsForEver("awaitTermination()", [query])
        return await_one(query, timeout)

    def any_(manager: StreamingQueryManager, timeout: int | None = None) -> Any:
        active = manager.active if _in_answer() and timeout is None else []
        if active and all(map(_endless, active)):
            raise WaitsForEver("awaitAnyTermination()", active)
        return await_any(manager, timeout)

    one.plain = await_one  # type: ignore[attr-defined]
    StreamingQuery.awaitTermination = one  # type: ignore[method-assign, assignment]
    StreamingQueryManager.awaitAnyTermination = any_  # type: ignore[method-assign, assignment]


def _in_answer() -> bool:
    return getattr(_answer, "runs", False)


def _endless(query: StreamingQuery) -> bool:
    trigger = str(execution_of(query).trigger().toString())
    return query.isActive and trigger not in _ENDING
