"""Consumers of one stream at work side by side: how long each record was on its way to each of them."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from threading import Barrier, BrokenBarrierError, Event, Thread
from typing import Any

EVERY_SECONDS = 0.05  # a record, so that there are some for each read


def latencies(
    put: Callable[[bytes], Any],
    consumers: Sequence[Iterable[list[dict[str, Any]]]],
    seconds: float = 5,
) -> list[float]:
    """Put a record each 50 ms for so many seconds; milliseconds until a consumer has it, over all of them.

    A consumer is an iterator of what came: lists of Kinesis records, empty ones too, so that it can be
    ended. The race begins when each has come to its first list, and ends when each has all records.
    An error of one ends it for all, and is raised here.
    """
    ready, over = Barrier(len(consumers) + 1), Event()
    taken: list[float] = []
    put_at: set[bytes] = set()
    failed: list[Exception] = []

    def consume(consumer: Iterable[list[dict[str, Any]]]) -> None:
        try:
            take(consumer)
        except BrokenBarrierError:
            pass  # the race is off
        except Exception as error:
            failed.append(error)
            ready.abort()

    def take(consumer: Iterable[list[dict[str, Any]]]) -> None:
        seen: set[bytes] = set()
        for number, records in enumerate(consumer):
            now = time.time()
            for record in records:
                seen.add(record["Data"])
                taken.append(1000 * (now - float(record["Data"])))
            if number == 0:
                ready.wait()
            if over.is_set() and seen >= put_at:
                return

    threads = [Thread(target=consume, args=(consumer,), daemon=True) for consumer in consumers]
    for thread in threads:
        thread.start()
    try:
        ready.wait()
        until = time.monotonic() + seconds
        while time.monotonic() < until and not failed:
            now = repr(time.time()).encode()
            put_at.add(now)
            put(now)
            time.sleep(EVERY_SECONDS)
    except BrokenBarrierError:
        pass  # one has failed before its first list
    except BaseException:  # an interrupt, or what `put` raised: nobody waits for what came last
        ready.abort()
        put_at.clear()
        raise
    finally:
        over.set()
    for thread in threads:
        thread.join()
    if failed:
        raise failed[0]
    return taken
