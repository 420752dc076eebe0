"""An answer that waits for the end of a query that has none is told so at once."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from pyspark.sql.streaming.query import StreamingQuery, StreamingQueryManager

# the triggers after which a query stops by itself
_ENDING = ("AvailableNowTrigger", "OneTimeTrigger")


class WaitsForEver(BaseException):
    """Raised by a call that would not come back; not an Exception, so that `except Exception` lets it by."""

    def __init__(self, call: str, queries: list[StreamingQuery]):
        super().__init__(call)
        self.call = call
        self.queries = queries


@contextmanager
def no_endless_wait() -> Iterator[None]:
    """Let awaitTermination() and awaitAnyTermination() raise WaitsForEver where nothing would end them."""
    await_one = StreamingQuery.awaitTermination
    await_any = StreamingQueryManager.awaitAnyTermination

    def one(query: StreamingQuery, timeout: int | None = None) -> Any:
        if timeout is None and _endless(query):
            raise WaitsForEver("awaitTermination()", [query])
        return await_one(query, timeout)

    def any_(manager: StreamingQueryManager, timeout: int | None = None) -> Any:
        active = manager.active
        if timeout is None and active and all(map(_endless, active)):
            raise WaitsForEver("awaitAnyTermination()", active)
        return await_any(manager, timeout)

    StreamingQuery.awaitTermination = one  # type: ignore[method-assign, assignment]
    StreamingQueryManager.awaitAnyTermination = any_  # type: ignore[method-assign, assignment]
    try:
        yield
    finally:
        StreamingQuery.awaitTermination = await_one  # type: ignore[method-assign]
        StreamingQueryManager.awaitAnyTermination = await_any  # type: ignore[method-assign]


def _endless(query: StreamingQuery) -> bool:
    trigger = str(query._jsq.streamingQuery().trigger().toString())  # type: ignore[attr-defined]
    return query.isActive and trigger not in _ENDING
