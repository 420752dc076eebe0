"""Consumers of one stream at work side by side: how long each record was on its way to each of them."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from threading import Barrier, BrokenBarrierError, Event, Thread
from typing import Any

EVERY_SECONDS = 0.05  # a record, so that there are some for each read

Consumer = Iterable[list[dict[str, Any]]]


def latencies(
    put: Callable[[bytes], Any], consumers: Sequence[Consumer], seconds: float = 5
) -> list[float]:
    """Put a record every 50 ms for so many seconds; milliseconds until a consumer has it, over all of them.

    A consumer is an iterator of what came: lists of Kinesis records, empty ones too, so that it can be
    ended. The race begins when each has come to its first list, and ends when each has all records.
    An error of one ends it for all, and is raised here.
    """
    race = _Race(len(consumers))
    threads = [Thread(target=race.consume, args=(each,), daemon=True) for each in consumers]
    for thread in threads:
        thread.start()
    race.put(put, seconds)
    for thread in threads:
        thread.join()
    if race.failed:
        raise race.failed[0]
    return race.taken


class _Race:
    """What the thread that puts records and those of the consumers share."""

    def __init__(self, consumers: int):
        self._ready, self._over = Barrier(consumers + 1), Event()
        self._put_at: set[bytes] = set()
        self.taken: list[float] = []
        self.failed: list[Exception] = []

    def put(self, put: Callable[[bytes], Any], seconds: float) -> None:
        """Put records, each with the moment at which it was, once all consumers are ready."""
        try:
            self._ready.wait()
            until = time.monotonic() + seconds
            while time.monotonic() < until and not self.failed:
                now = repr(time.time()).encode()
                self._put_at.add(now)
                put(now)
                time.sleep(EVERY_SECONDS)
        except BrokenBarrierError:
            pass  # one has failed before its first list
        except BaseException:
            # an interrupt, or what `put` raised: no consumer waits for the last record
            self._ready.abort()
            self._put_at.clear()
            raise
        finally:
            self._over.set()

    def consume(self, consumer: Consumer) -> None:
        """Take what a consumer gets until it has all that was put."""
        try:
            self._take(consumer)
        except BrokenBarrierError:
            pass  # the race is off
        except Exception as error:
            self.failed.append(error)
            self._ready.abort()

    def _take(self, consumer: Consumer) -> None:
        seen: set[bytes] = set()
        for number, records in enumerate(consumer):
            now = time.time()
            for record in records:
                seen.add(record["Data"])
                self.taken.append(1000 * (now - float(record["Data"])))
            if number == 0:
                self._ready.wait()
            if self._over.is_set() and seen >= self._put_at:
                return
