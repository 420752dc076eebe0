"""The shop's clicks: a few pages far over the limit, many far below, and a count of what was sent."""

from __future__ import annotations

import threading
import time
from collections import Counter
from datetime import datetime, timezone

from kafka import KafkaProducer

from grader.capstone.shop_broker import SecuredKafka

TICK = 0.02  # seconds between two handfuls
WINDOW_MS = 5000
# Of 25 clicks 7 are on each hot page: 7,000 in five seconds at 5,000 clicks per second.
HOT = ["/sale", "/tea", "/toys"]
COLD = [f"/offer/{number:02d}" for number in range(40)]
MIX = [page for page in HOT for _ in range(7)] + [""] * 4  # "": one cold page after another
UNREADABLE = 1000  # after so many clicks comes a record that is not a click

Window = tuple[str, int]  # a page, and the start of its window in milliseconds since 1970


class Clicks:
    """Sends clicks from `start` to `stop`, in a thread, at a constant rate (clicks per second).

    Clicks are due at fixed times; a click that is late does not move those after it. A click's
    eventTime is when it is handed to the producer. The truth is in two fields:

    - `counts`: the clicks of each window
    - `crossed`: when a window went over the limit, in milliseconds since 1970
    """

    def __init__(self, kafka: SecuredKafka, topic: str, rate: float, limit: int):
        self._producer = kafka.connect(KafkaProducer, linger_ms=5, batch_size=65536)
        self._topic = topic
        self._rate = rate
        self._limit = limit
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._send, daemon=True)
        self._failed: BaseException | None = None
        self.counts: Counter[Window] = Counter()
        self.crossed: dict[Window, int] = {}
        self.sent = 0  # clicks, without the other records

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        """Stop; returns when all that was sent is acknowledged. Raises what the producer raised."""
        self._stopped.set()
        self._thread.join()
        self._producer.close()
        if self._failed is not None:
            raise self._failed

    def abandon(self) -> None:
        """Stop sending at once; do not wait for what was not sent."""
        self._stopped.set()
        if self._thread.ident is not None:
            self._thread.join()
        self._producer.close(timeout=0)

    def _send(self) -> None:
        began, made = time.monotonic(), 0
        try:
            while not self._stopped.wait(TICK):
                due = int((time.monotonic() - began) * self._rate)
                for number in range(made, due):
                    self._send_one(number)
                made = due
            self._producer.flush()
        except BaseException as error:  # it is raised when the load is stopped
            self._note(error)

    def _note(self, error: BaseException) -> None:
        self._failed = error

    def _send_one(self, number: int) -> None:
        page = MIX[number % len(MIX)] or COLD[self.sent // len(MIX) % len(COLD)]
        now = time.time_ns() // 1_000_000
        moment = datetime.fromtimestamp(now / 1000, timezone.utc)
        text = moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")
        value = f'{{"pageId": "{page}", "eventTime": "{text}"}}'
        self._producer.send(self._topic, value.encode()).add_errback(self._note)
        if number % UNREADABLE == 0:
            self._producer.send(self._topic, value.encode()[:-9])
        window = page, now - now % WINDOW_MS
        self.counts[window] += 1
        self.sent += 1
        if self.counts[window] == self._limit + 1:
            self.crossed[window] = now
