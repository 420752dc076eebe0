"""The runner as its supervisor sees it: it is started, observed, given orders, and ended."""

from __future__ import annotations

import contextlib
import json
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from grader.runtime.scratch_folders import make_scratch, remove_scratch
from grader.sandbox import check_job, no_sandbox
from grader.sandbox.check_job import EVENTS_FILE, JOB_FILE, JOB_ORDER, Job, recordings_file
from grader.sandbox.runner_answers import RunnerEnded, read_event, read_recording
from grader.sandbox.sandbox_files import CHECK, HANDED_IN, WORK, work_folder
from grader.sandbox.sandbox_kinds import START, Sandbox

RUNNER = [sys.executable, "-m", "grader.sandbox.runner"]
STAGED = "submission"  # in its folder: what comes after it started
END_SECONDS = 15.0
POLL_SECONDS = 0.03
MAX_MEGABYTES = 64  # of one recording, or of the events that have not been read yet


class RunnerProcess:
    """A running runner: its sandbox, its folder, and until when its next event must come.

    `handed_in` is what a sandbox shows as HANDED_IN; None if there is no sandbox.
    """

    def __init__(self, sandbox: Sandbox, folder: Path, handed_in: Path | None):
        self._sandbox = sandbox
        self._process = sandbox.process
        self._folder = folder
        self._handed_in = handed_in
        self._since = self._until = time.monotonic()
        self._done = False

    @classmethod
    def start(
        cls,
        tasks: int,
        *,
        own_broker: bool = True,
        kind: str = "none",
        handed_in: Path | None = None,
    ) -> RunnerProcess:
        """Start a runner that brings its lab up and waits for a job of at most so many `tasks`.

        It has its own session and folder. In a sandbox of this `kind` it always has its own broker, whatever
        `own_broker` says. There it sees `handed_in`, or, without it, what the job's folder will hold.
        """
        folder = make_scratch("check")
        try:
            # a folder to write in would have no end, files have
            answers = [EVENTS_FILE, *map(recordings_file, range(tasks))]
            for path in (folder / name for name in answers):
                path.parent.mkdir(exist_ok=True)
                path.touch()
            if kind != "none" and handed_in is None:
                handed_in = folder / STAGED
                handed_in.mkdir()
            with open(folder / "log", "wb") as log:
                given: dict[str, Any] = {"job": folder, "log": log}
                if kind == "none":
                    command = [*RUNNER, str(folder)]
                    plain = no_sandbox.start(command, **given, own_broker=own_broker)
                    return cls(plain, folder, None)
                given |= {"writable": answers, "handed_in": handed_in}
                return cls(START[kind]([*RUNNER, str(CHECK)], **given), folder, handed_in)
        except BaseException:
            remove_scratch(folder)
            raise

    def give(self, job: Job) -> None:
        """Hand over the job; raises RunnerEnded if the runner does not take it."""
        if self._handed_in is not None:
            given = Path(job.folder)
            if self._handed_in != given:
                check_job.copy_files(given, self._handed_in)
            inside = work_folder(given)
            copied = str(HANDED_IN) if inside == WORK else None
            job = replace(job, folder=str(inside), handed_in=copied)
        job.write(self._folder / JOB_FILE)
        self.order(JOB_ORDER)

    def alive(self) -> bool:
        return self._process.poll() is None

    def wait_for(self, seconds: float) -> None:
        """From now on the next event must come within `seconds`."""
        self._since = time.monotonic()
        self._until = self._since + seconds

    def waited(self) -> float:
        """Seconds since the last `wait_for`."""
        return time.monotonic() - self._since

    def order(self, order: dict[str, Any]) -> None:
        """Hand over an order; raises RunnerEnded if it does not take it."""
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(json.dumps(order).encode() + b"\n")
            self._process.stdin.flush()
        except OSError as error:
            raise RunnerEnded(False, self._how_it_ended()) from error

    def events(self) -> Iterator[dict[str, Any]]:
        """The events as they come, up to `done`; raises RunnerEnded when no more can come."""
        with open(self._folder / EVENTS_FILE, "rb") as file:
            rest = b""
            while True:
                over = not self.alive()  # before reading: its last words count
                part = file.read(MAX_MEGABYTES << 20)
                rest += part
                while b"\n" in rest:
                    line, rest = rest.split(b"\n", 1)
                    event = read_event(line)
                    self._done = event["event"] == "done"
                    yield event
                    if self._done:
                        return
                if part and len(rest) <= MAX_MEGABYTES << 20:
                    continue
                if part:
                    raise RunnerEnded(False, f"one event is larger than {MAX_MEGABYTES} MB")
                if over:
                    raise RunnerEnded(False, self._how_it_ended())
                if time.monotonic() > self._until:
                    said = f"nothing came within {self._until - self._since:.0f} s"
                    raise RunnerEnded(True, said)
                time.sleep(POLL_SECONDS)

    def recording(self, task: int, number: int) -> dict[str, Any]:
        """The recording that was just written, the `number`th of a task (both from 0)."""
        return read_recording(self._folder / recordings_file(task), number, MAX_MEGABYTES)

    def end(self) -> None:
        """End it with all that it started, and remove its folder."""
        try:
            with contextlib.suppress(OSError):
                if self._process.stdin is not None:
                    self._process.stdin.close()
            self._sandbox.end(END_SECONDS if self._done else 0.0)
        finally:
            remove_scratch(self._folder)

    def _how_it_ended(self) -> str:
        try:
            code = self._process.wait(5)
        except subprocess.TimeoutExpired:
            return "it closed its input"
        if why := self._sandbox.why:
            return f"it was ended: {why}"
        if code in (-9, 128 + 9):  # of the process, or as its sandbox reports it
            return "it was killed (is the memory full?)"
        log = (self._folder / "log").read_bytes()[-2000:].decode(errors="replace").strip()
        return f"it ended with exit code {code}" + (f"\n{log}" if log else "")
