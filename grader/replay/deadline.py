"""The time that a play has, and the failure of one that needs more."""

from __future__ import annotations

import time

from grader.replay.cpu_time import CpuTime
from grader.replay.failures import Stop
from grader.scenario.recording import Failure


class Deadline:
    """The moment at which a play that begins now must be over."""

    def __init__(self, seconds: float):
        self.seconds = seconds
        self._cpu = CpuTime.now()
        self._end = time.monotonic() + seconds

    def remaining(self, step: int) -> float:
        """Seconds that are left; raises Stop if none are."""
        left = self._end - time.monotonic()
        if left <= 0:
            raise Stop(self.missed(step))
        return left

    def missed(self, step: int | None = None) -> Failure:
        """The failure of a play that is not over: how long it had, and how little CPU on a busy machine."""
        shortage = CpuTime.now().shortage_since(self._cpu)
        return Failure("timeout", step=step, fields={"seconds": self.seconds, **shortage})
