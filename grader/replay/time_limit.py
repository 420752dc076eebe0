"""A time limit on Python code that runs in the main thread."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from pyspark.sql import SparkSession

from grader.runtime.spark_internals.java_gateway import drop_connection


class TimeLimit(BaseException):
    """Raised inside code that ran too long; not an Exception, so that `except Exception` does not catch it."""


@contextmanager
def time_limit(seconds: float, session: SparkSession | None = None) -> Iterator[None]:
    """Raise TimeLimit in the block after `seconds`; a session that the block calls is usable after it.

    Works in the main thread of systems that have SIGALRM (Linux, macOS); elsewhere the block
    runs without its own limit.
    """
    if threading.current_thread() is not threading.main_thread() or not hasattr(signal, "SIGALRM"):
        yield
        return

    rang = False

    def ring(_signal: int, _frame: FrameType | None) -> None:
        nonlocal rang
        rang = True
        raise TimeLimit(seconds)

    before = signal.signal(signal.SIGALRM, ring)
    # the interval rings again, for code that swallows the first one
    signal.setitimer(signal.ITIMER_REAL, max(seconds, 0.001), 1.0)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
        if rang and session is not None:  # perhaps in the midst of a call to Java
            drop_connection(session)
