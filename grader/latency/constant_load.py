"""A constant load: so many records per second, each with the time at which it was made."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Mapping

from kafka import KafkaProducer

from grader.latency.workloads import KEYS, REPEATED, Workload
from grader.runtime.kafka_settings import python_settings

TICK = 0.01  # seconds between two handfuls


class Load:
    """Sends records from its start to `stop`, in its own thread.

    Records are due at fixed times: one that is late does not move those after it.
    """

    def __init__(self, servers: str, topics: Mapping[str, str], workload: Workload, rate: float):
        self._producer = KafkaProducer(bootstrap_servers=servers, linger_ms=0, **python_settings())
        self._topics = [topics[name] for name in workload.inputs]
        self._repeats = workload.repeats
        self._rate = rate
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._send, daemon=True)
        self._failed: BaseException | None = None
        self.sent = 0  # records, in all topics together

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> int:
        """Stop; returns how many records were sent, all of them acknowledged. Raises what the producer raised."""
        self._stopped.set()
        self._thread.join()
        self._producer.close()
        if self._failed is not None:
            raise self._failed
        return self.sent

    def _send(self) -> None:
        try:
            self._send_all()
        except Exception as error:
            self._failed = error

    def _send_all(self) -> None:
        began, made = time.monotonic(), 0
        while not self._stopped.wait(TICK):
            due = int((time.monotonic() - began) * self._rate)
            for id in range(made, due):
                self._send_one(id)
            made = due

    def _send_one(self, id: int) -> None:
        times = 2 if self._repeats and id % REPEATED == 0 else 1
        for topic in self._topics * times:
            record = {"id": id, "key": id % KEYS, "made": int(time.time() * 1000)}
            self._producer.send(topic, json.dumps(record).encode()).add_errback(self._refused)
            self.sent += 1

    def _refused(self, error: BaseException) -> None:
        self._failed = self._failed or error
