"""CPU time: how much this process and its children used, and how much was idle."""

from __future__ import annotations

import contextlib
import math
import time
from dataclasses import dataclass

import psutil

FULL = 0.1  # a machine is busy if less than this share of its cores' time is idle
LITTLE = 0.5  # of a core
SHORTEST = 1.0  # seconds in which both can be seen


@dataclass(frozen=True)
class CpuTime:
    """Seconds since some moment: by the clock, of CPU that we got, idle ones of all `cores` together."""

    clock: float
    ours: float
    idle: float
    cores: int

    @classmethod
    def now(cls) -> CpuTime:
        """Until now; the seconds of a process that ended are with the one that waited for it."""
        own = psutil.Process()
        ours = 0.0
        for process in (own, *own.children(recursive=True)):
            with contextlib.suppress(psutil.Error):  # it has ended meanwhile
                of_one = process.cpu_times()
                ours += of_one.user + of_one.system + of_one.children_user + of_one.children_system
        idle = math.inf  # if a sandbox does not show it
        with contextlib.suppress(OSError):
            idle = psutil.cpu_times().idle
        return cls(time.monotonic(), ours, idle, psutil.cpu_count() or 1)

    def shortage_since(self, before: CpuTime) -> dict[str, float]:
        """`cpu_seconds` that we got and `cores`, if the machine was busy and that was little; else nothing."""
        seconds = self.clock - before.clock
        busy = self.idle - before.idle < FULL * seconds * self.cores
        got = self.ours - before.ours
        if not busy or got >= LITTLE * seconds or seconds < SHORTEST:
            return {}
        return {"cpu_seconds": round(got, 1), "cores": self.cores}
