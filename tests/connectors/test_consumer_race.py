"""Consumers side by side: what an error of one, or an interrupt, does to the others."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from queue import Empty, SimpleQueue
from typing import Any

import pytest

from grader.connectors.consumer_race import latencies

Records = list[dict[str, Any]]


def consumer(given: SimpleQueue[bytes]) -> Iterator[Records]:
    while True:
        try:
            yield [{"Data": given.get(timeout=0.01)}]
        except Empty:
            yield []


def racing() -> tuple[Callable[[bytes], None], list[Iterator[Records]]]:
    """Two consumers, and what puts a record before both."""
    queues: list[SimpleQueue[bytes]] = [SimpleQueue(), SimpleQueue()]

    def put(record: bytes) -> None:
        for queue in queues:
            queue.put(record)

    return put, [consumer(queue) for queue in queues]


@pytest.fixture(autouse=True)
def _nobody_is_left() -> Iterator[None]:
    before = threading.active_count()
    yield
    until = time.monotonic() + 10
    while threading.active_count() > before:
        assert time.monotonic() < until, "a consumer goes on"
        time.sleep(0.01)


def test_each_record_is_timed_at_each_consumer() -> None:
    put, consumers = racing()
    taken = latencies(put, consumers, 0.3)
    assert len(taken) >= 4 and len(taken) % 2 == 0 and min(taken) >= 0


@pytest.mark.parametrize("after", [0, 3])
def test_an_error_of_one_consumer_is_raised(after: int) -> None:
    def fails() -> Iterator[Records]:
        for _ in range(after):
            yield []
        raise PermissionError("no fan-out")

    put, (one, _) = racing()
    with pytest.raises(PermissionError, match="no fan-out"):
        latencies(put, [one, fails()], 30)


def test_an_interrupt_ends_all_consumers() -> None:
    _, consumers = racing()

    def interrupted(record: bytes) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        latencies(interrupted, consumers, 30)
