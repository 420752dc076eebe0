"""Runners that wait: each has its lab up before a notebook comes, serves one, and is discarded."""

from __future__ import annotations

import contextlib
import queue
import threading
from collections.abc import Iterator
from pathlib import Path

from grader.sandbox.runner_process import RunnerProcess
from grader.sandbox.sandbox_files import WORK, work_folder


class RunnerPool:
    """Keeps `ready` runners waiting for jobs of at most so many `tasks`; starts no more than `most`.

    None of them has run any submission. A context: at its end all of them end.
    """

    def __init__(self, ready: int, *, most: int, tasks: int, kind: str):
        self._tasks = tasks
        self._kind = kind
        self._most = most
        self._room = threading.Semaphore(ready)
        self._over = threading.Event()
        self._there: queue.SimpleQueue[RunnerProcess] = queue.SimpleQueue()
        self._keeper = threading.Thread(target=self._keep, daemon=True)

    def __enter__(self) -> RunnerPool:
        self._keeper.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._room.release()
        self._keeper.join()

    def take(self, tasks: int, handed_in: Path) -> RunnerProcess | None:
        """One for a job of so many tasks in this folder, for the caller to end; None if none is fit."""
        large = self._kind != "none" and work_folder(handed_in) != WORK
        if tasks > self._tasks or large:
            return None
        for runner in self._ready():
            self._room.release()
            if runner.alive():
                return runner
            runner.end()
        return None

    def _keep(self) -> None:
        for _ in range(self._most):
            self._room.acquire()
            if self._over.is_set():
                break
            try:
                self._there.put(RunnerProcess.start(self._tasks, kind=self._kind))
            except Exception:  # a submission that starts its own says why
                break
        self._over.wait()  # the kernel ends a sandbox with the thread that started it
        for runner in self._ready():
            runner.end()

    def _ready(self) -> Iterator[RunnerProcess]:
        with contextlib.suppress(queue.Empty):
            while True:
                yield self._there.get_nowait()
