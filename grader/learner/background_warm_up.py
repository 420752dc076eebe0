"""Playing a rehearsal in the background while nothing else runs in the notebook.

The first check of a session would pay for what Java does once: loading, linking, compiling. Most
learners read for a while after `grader.start()`; that time is used. A cell, and so a check, comes
first: a play begins only while no cell runs, and this is checked again after each play.
"""

from __future__ import annotations

import contextlib
import threading

from pyspark.sql import SparkSession

from grader.learner.rehearsal import warm
from grader.replay.kafka import Kafka

QUIET_SECONDS = 1.0  # a notebook that runs from top to bottom has shorter pauses


class IdleTime:
    """Whether a cell runs in this notebook, as IPython reports it."""

    def __init__(self, shell: object):
        self._idle, self._busy = threading.Event(), threading.Event()
        self._busy.set()  # start() itself is called in a cell
        shell.events.register("pre_run_cell", self._begins)  # type: ignore[attr-defined]
        shell.events.register("post_run_cell", self._ends)  # type: ignore[attr-defined]

    def wait(self) -> None:
        """Wait until no cell has run for QUIET_SECONDS."""
        while True:
            self._idle.wait()
            if not self._busy.wait(QUIET_SECONDS):
                return

    def _begins(self, *_: object) -> None:
        self._idle.clear()
        self._busy.set()

    def _ends(self, *_: object) -> None:
        self._busy.clear()
        self._idle.set()


def warm_while_idle(spark: SparkSession, kafka: Kafka) -> threading.Thread | None:
    """Begin to warm up in a notebook; elsewhere do nothing. The thread ends when all is warm."""
    with contextlib.suppress(ImportError):
        from IPython import get_ipython

        shell = get_ipython()  # type: ignore[no-untyped-call]
        if shell is not None:
            idle = IdleTime(shell)
            thread = threading.Thread(
                target=warm, args=(spark, kafka, idle.wait), name="warming", daemon=True
            )
            thread.start()
            return thread
    return None
