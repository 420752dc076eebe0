"""Whether the lab of a runner still works: cells and answers can end its Kafka or its Java, or fill its disk."""

from __future__ import annotations

import shutil
import socket
import tempfile

from grader.learner.notebook_lab import Lab
from grader.runtime.spark_internals.java_gateway import java

FREE_MB = 32  # Kafka ends if it cannot write, and Spark's queries fail
ANSWER_SECONDS = 10.0


class LabWatch:
    """Looks after a lab that works now."""

    def __init__(self, lab: Lab):
        self._system = java(lab.spark).java.lang.System
        self._kafka = lab.broker.bootstrap_servers.split(",")[0].rpartition(":")
        self._had_room = _free_mb() > FREE_MB

    def loss(self) -> str | None:
        """Which part of the lab does not work any more, as the end of a sentence; None if all does."""
        host, _, port = self._kafka
        try:
            socket.create_connection((host, int(port)), ANSWER_SECONDS).close()
        except OSError:
            return "the lab's Kafka has ended"
        try:
            self._system.nanoTime()
        except Exception:  # py4j raises many kinds
            return "the lab's Java has ended"
        if self._had_room and _free_mb() < FREE_MB:
            return f"there is no room left in {tempfile.gettempdir()}"
        return None


def _free_mb() -> float:
    return shutil.disk_usage(tempfile.gettempdir()).free / 2**20
