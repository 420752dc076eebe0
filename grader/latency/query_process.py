"""A streaming query in its own process: it takes an order, reports batch by batch, and is ended or killed.

Order and reports are lines of JSON: {"ready": true}, {"batch": …} with its figures, {"failed": message}.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from grader.runtime.log_tail import last_words

POLL_SECONDS = 0.05

Report = dict[str, Any]


class QueryProcess:
    """A module that calls `run_query`, at work on an order; `on_batch` gets what it reports of each batch."""

    def __init__(
        self,
        module: str,
        order: Mapping[str, Any],
        log: Path,
        on_batch: Callable[[Report], None],
        environment: Mapping[str, str] | None = None,
    ):
        self.failed = ""
        self._log, self._on_batch = log, on_batch
        self._ready = threading.Event()
        with log.open("w") as errors:
            self._process = subprocess.Popen(
                [sys.executable, "-m", module],
                env={**os.environ, **(environment or {})},
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                text=True,
            )
        self._listener = threading.Thread(target=self._listen, daemon=True)
        self._listener.start()
        assert self._process.stdin is not None
        print(json.dumps(order), file=self._process.stdin, flush=True)

    def await_start(self, seconds: float) -> bool:
        """Wait until the query runs; False if it has ended by itself, or does not within so many seconds."""
        deadline = time.monotonic() + seconds
        while not self._ready.wait(POLL_SECONDS):
            if self.ended() or time.monotonic() > deadline:
                return False
        return True

    def ended(self) -> bool:
        """Whether the query has failed, or its process has ended by itself."""
        return bool(self.failed) or self._process.poll() is not None

    def last_words(self) -> str:
        """What it failed with, or the last that it wrote."""
        return self.failed or last_words(self._log)

    def stop(self, seconds: float = 30) -> None:
        """End it properly, or kill it if that takes too long; fine if it has ended already."""
        assert self._process.stdin is not None
        with contextlib.suppress(OSError):  # it has ended, and an order is in the pipe
            self._process.stdin.close()
        try:
            self._process.wait(seconds)
        except subprocess.TimeoutExpired:
            self.kill()
        self._listener.join()

    def kill(self) -> None:
        """SIGKILL to Java, to Python and to all that they started: none can clean up."""
        import psutil

        family = psutil.Process(self._process.pid).children(recursive=True)
        for member in [*family, self._process]:
            with contextlib.suppress(psutil.NoSuchProcess):
                member.kill()
        psutil.wait_procs(family, timeout=30)
        self._process.wait()
        self._listener.join()

    def _listen(self) -> None:
        assert self._process.stdout is not None
        with self._process.stdout as reports:
            for line in reports:
                if not (line.startswith("{") and line.endswith("}\n")):
                    continue
                report: Report = json.loads(line)
                if "batch" in report:
                    self._on_batch(report)
                self.failed = report.get("failed", self.failed)
                if report.get("ready"):
                    self._ready.set()


def run_query(start: Callable[[Any], Any], figures: Callable[[dict[str, Any]], Report]) -> None:
    """Be the process: `start` a query by the order on standard input, and report its batches until that closes.

    The function `figures` gives what is reported about a batch, from its progress.
    """
    query = start(json.loads(sys.stdin.readline()))
    _report(ready=True)
    last = -1
    while not select.select([sys.stdin], [], [], POLL_SECONDS)[0]:
        last = _report_since(last, query, figures)
        if (error := query.exception()) is not None:
            _report(failed=str(error))
            break
    query.stop()
    _report_since(last, query, figures)
    from grader.runtime.spark_session import stop_spark

    stop_spark(seconds=2)


def _report_since(last: int, query: Any, figures: Callable[[dict[str, Any]], Report]) -> int:
    for progress in [json.loads(p.json) for p in query.recentProgress]:
        if progress["batchId"] > last and "triggerExecution" in progress["durationMs"]:
            last = progress["batchId"]
            _report(batch=last, **figures(progress))
    return last


def _report(**report: Any) -> None:
    print(json.dumps(report), flush=True)
