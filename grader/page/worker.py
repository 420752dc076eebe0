"""A process that checks answers, as the worker of a page does: one that does not end is ended."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from pathlib import Path
from types import TracebackType
from typing import Any

from grader.judging.check_pack import PackError, find_exercise
from grader.judging.judge import failed_verdict
from grader.page.page_verdict import PageVerdict
from grader.scenario.recording import Failure

LIMIT = 20.0  # seconds that a check may take
_ROOT = Path(__file__).parents[2]


class Worker:
    """Checks answers in a process of its own, which has only Python's standard library."""

    def __init__(self, course: Path, limit: float = LIMIT):
        """`course` is the folder of the lessons; a check may take `limit` seconds."""
        self.course, self.limit = course, limit
        self._process: subprocess.Popen[str] | None = None

    def __enter__(self) -> Worker:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.end()

    def check(self, exercise: str, code: str, name: str | None = None) -> PageVerdict:
        """The verdict on the code of an answer cell, or with a `name` on code that runs by itself."""
        process = self._process or self._start()
        assert process.stdin is not None and process.stdout is not None
        over = threading.Event()

        def stop() -> None:
            over.set()
            process.kill()

        timer = threading.Timer(self.limit, stop)
        timer.start()
        try:
            asked = {"exercise": exercise, "code": code, "name": name}
            process.stdin.write(json.dumps(asked) + "\n")
            process.stdin.flush()
            answered = process.stdout.readline()
        finally:
            timer.cancel()
        if answered:
            return PageVerdict.from_dict(json.loads(answered))
        self.end()
        if over.is_set():
            return self._timed_out(exercise)
        return PageVerdict(exercise, only_lab="an answer that ends the process")

    def _timed_out(self, exercise: str) -> PageVerdict:
        """What is said of an answer that did not end."""
        packed = find_exercise(exercise, self.course)
        failure = Failure("timeout", fields={"seconds": self.limit})
        return PageVerdict(exercise, failed_verdict(packed.exercise, failure))

    def end(self) -> None:
        """End the process; the next check starts another one."""
        if self._process is not None:
            self._process.kill()
            self._process.communicate()
            self._process = None

    def _start(self) -> subprocess.Popen[str]:
        # without site-packages, as in a page; before Python 3.11 reading TOML needs one
        alone = ["-S"] if sys.version_info >= (3, 11) else []
        self._process = subprocess.Popen(
            [sys.executable, *alone, "-m", "grader.page.worker", str(self.course)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": str(_ROOT), "PYTHONHASHSEED": "0"},
        )
        assert self._process.stdout is not None
        self._process.stdout.readline()  # it is ready; importing counts for no answer
        return self._process


def _serve(course: Path) -> None:
    """Answer each line of the standard input; what an answer prints is not read."""
    from grader.page.exercise_check import check, check_program, packed_exercise

    out = os.fdopen(os.dup(1), "w")
    sys.stdout = open(os.devnull, "w")  # noqa: SIM115
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    out.write("ready\n")
    out.flush()
    for line in sys.stdin:
        asked: dict[str, Any] = json.loads(line)
        try:
            if asked["name"] is None:
                found = check(asked["exercise"], asked["code"], course)
            else:
                packed = packed_exercise(asked["exercise"], course)
                found = check_program(packed, asked["code"], asked["name"])
        except PackError as error:
            found = PageVerdict(asked["exercise"], only_lab=str(error))
        out.write(json.dumps(found.to_dict()) + "\n")
        out.flush()


if __name__ == "__main__":
    _serve(Path(sys.argv[1]))
