"""A time limit on Python code that runs in the main thread."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


class TimeLimit(BaseException):
    """Raised inside code that ran too long; not an Exception, so that `except Exception` lets it by."""


@contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Raise TimeLimit in the block after `seconds`.

    Works in the main thread of systems that have SIGALRM (Linux, macOS); elsewhere the block
    runs without a limit of its own.
    """
    if threading.current_thread() is not threading.main_thread() or not hasattr(signal, "SIGALRM"):
        yield
        return

    def ring(_signal: int, _frame: FrameType | None) -> None:
        raise TimeLimit(seconds)

    before = signal.signal(signal.SIGALRM, ring)
    # the interval rings again, for code that swallows the first one
    signal.setitimer(signal.ITIMER_REAL, max(seconds, 0.001), 1.0)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
