"""Runs of submissions, several at a time: each in a thread, in which nothing but that run happens."""

from __future__ import annotations

import queue
import threading

from grader.classroom.grade_writer import Entry
from grader.classroom.submission_run import Run, SubmissionRun
from grader.sandbox.observed_run import ObservedRun


class RunQueue:
    """Makes runs in `jobs` threads. A context, at whose end the threads end; a sandbox ends with its thread."""

    def __init__(self, jobs: int, run: Run):
        self.jobs = jobs
        self.at_work = 0  # runs that were put and that `next` has not returned
        self._run = run
        self._ahead: queue.SimpleQueue[tuple[Entry, SubmissionRun] | None] = queue.SimpleQueue()
        self._ended: queue.SimpleQueue[tuple[Entry, ObservedRun | Exception]] = queue.SimpleQueue()

    def __enter__(self) -> RunQueue:
        for _ in range(self.jobs):
            threading.Thread(target=self._work, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        for _thread in range(self.jobs):
            self._ahead.put(None)

    def put(self, entry: Entry, submission: SubmissionRun) -> None:
        self.at_work += 1
        self._ahead.put((entry, submission))

    def next(self) -> tuple[Entry, ObservedRun | Exception]:
        """The next run that ends, and its result."""
        ended = self._ended.get()
        self.at_work -= 1
        return ended

    def _work(self) -> None:
        while (given := self._ahead.get()) is not None:
            entry, submission = given
            try:
                self._ended.put((entry, submission.make(self._run)))
            except Exception as error:
                self._ended.put((entry, error))
