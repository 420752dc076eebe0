"""Whether the lab of a runner still works: cells and answers can end its Kafka or its Java, or fill its disk."""

from __future__ import annotations

import shutil
import socket
import tempfile

from kafka.protocol.metadata import ApiVersionsRequest

from grader.learner.notebook_lab import Lab
from grader.runtime.spark_internals.java_gateway import java

FREE_MB = 32  # Kafka ends if it cannot write, and Spark's queries fail
ANSWER_SECONDS = 30.0


class LabWatch:
    """Looks after a lab that works now."""

    def __init__(self, lab: Lab):
        self._system = java(lab.spark).java.lang.System
        host, _, port = lab.broker.bootstrap_servers.split(",")[0].rpartition(":")
        self._kafka = host, int(port)
        self._had_kafka = _answers(self._kafka)  # one with TLS does not answer a plain request
        self._had_room = _free_mb() > FREE_MB

    def loss(self) -> str | None:
        """Which part of the lab does not work any more, as the end of a sentence; None if all does."""
        if self._had_kafka and not _answers(self._kafka):
            return "the lab's Kafka has ended"
        try:
            self._system.nanoTime()
        except Exception:  # py4j raises many kinds
            return "the lab's Java has ended"
        if self._had_room and _free_mb() < FREE_MB:
            return f"there is no room left in {tempfile.gettempdir()}"
        return None


def _answers(address: tuple[str, int]) -> bool:
    """Whether Kafka answers a client's first request.

    A connection alone says little: the system accepts some for a moment after a process was killed.
    """
    request = ApiVersionsRequest(version=0)
    request.with_header(correlation_id=1, client_id=None)
    try:
        with socket.create_connection(address, ANSWER_SECONDS) as connection:
            connection.sendall(request.encode(header=True, framed=True))
            return bool(connection.recv(1))
    except OSError:
        return False


def _free_mb() -> float:
    return shutil.disk_usage(tempfile.gettempdir()).free / 2**20
