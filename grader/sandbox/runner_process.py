"""The runner as its supervisor sees it: started, listened to, given orders, ended."""

from __future__ import annotations

import contextlib
import errno
import json
import os
import shutil
import stat
import subprocess
import sys
import time
import uuid
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from grader.runtime.scratch_folders import make_scratch, remove_scratch
from grader.sandbox import bwrap_sandbox
from grader.sandbox.check_job import (
    EVENTS_FILE,
    JOB_FILE,
    JOB_ORDER,
    RECORDINGS,
    Job,
    recordings_file,
)
from grader.sandbox.runner_processes import TOKEN_VARIABLE, end_runner
from grader.sandbox.sandbox_kinds import START

RUNNER = [sys.executable, "-m", "grader.sandbox.runner"]
STAGED = (
    "submission"  # in its folder: what comes later, where nothing was handed in when it started
)
END_SECONDS = 15.0
POLL_SECONDS = 0.03
MAX_MEGABYTES = 64  # of one recording, or of the events that have not been read yet

# what an event must hold; the rest of what a runner may write there is nobody's business
_FIELDS: dict[str, dict[str, Any]] = {
    "setup_failed": {"message": str},
    "ready": {},
    "cell": {"cell": int},
    "predicted": {"exercise": str, "answers": dict},
    "cell_ended": {"cell": int, "how": str, "message": str, "count": int, "outputs": list},
    "exercise": {"exercise": str, "found": bool},
    "play": {"exercise": str},
    "recorded": {"exercise": str},
    "done": {},
}


SPOILT = "its progress file is spoilt"


class Ended(Exception):
    """The runner cannot go on: it was too slow and is to be killed, or it died or told nonsense."""

    def __init__(self, killed: bool, message: str):
        super().__init__(message)
        self.killed = killed


class RunnerProcess:
    """A running runner: its process, its folder, and until when its next event must come.

    `end_all` ends the process with all that it started, once it had that many seconds to do so
    itself; `why` says why it was ended already, if it was.
    """

    def __init__(
        self,
        process: subprocess.Popen[bytes],
        folder: Path,
        end_all: Callable[[float], Any],
        *,
        handed_in: Path | None = None,
        why: Callable[[], str | None] = lambda: None,
    ):
        self._process = process
        self._folder = folder
        self._end_all = end_all
        self._handed_in = handed_in  # what a sandbox shows as bwrap_sandbox.HANDED_IN
        self._why = why
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

        It has a session and a folder of its own. In a sandbox of this `kind` it has a broker of its own,
        whatever `own_broker` says, and sees `handed_in`; without that, what the job's folder will hold.
        """
        folder = make_scratch("check")
        try:
            (folder / RECORDINGS).mkdir()
            (folder / EVENTS_FILE).touch()
            if kind == "none":
                return cls._start_plainly(folder, own_broker)
            if handed_in is None:
                handed_in = folder / STAGED
                handed_in.mkdir()
            return cls._start_in_sandbox(kind, folder, tasks, handed_in)
        except BaseException:
            remove_scratch(folder)
            raise

    @classmethod
    def _start_in_sandbox(
        cls, kind: str, folder: Path, tasks: int, handed_in: Path
    ) -> RunnerProcess:
        # a folder to write in would have no end, files have
        answers = [recordings_file(task) for task in range(tasks)]
        for name in answers:
            (folder / name).touch()
        with open(folder / "log", "wb") as log:
            started = START[kind](
                [*RUNNER, str(bwrap_sandbox.CHECK)],
                job=folder,
                writable=[EVENTS_FILE, *answers],
                handed_in=handed_in,
                log=log,
            )
        return cls(
            started.process, folder, started.end, handed_in=handed_in, why=lambda: started.why
        )

    @classmethod
    def _start_plainly(cls, folder: Path, own_broker: bool) -> RunnerProcess:
        token = uuid.uuid4().hex
        environment = {
            **os.environ,
            TOKEN_VARIABLE: token,
            "IPYTHONDIR": str(folder / "ipython"),
            "MPLBACKEND": "agg",
        }
        if own_broker:
            environment["GRADER_STATE"] = str(folder / "state")
            environment.pop("GRADER_KAFKA", None)
        with open(folder / "log", "wb") as log:
            process = subprocess.Popen(
                [*RUNNER, str(folder)],
                stdin=subprocess.PIPE,
                stdout=log,
                stderr=log,
                env=environment,
                cwd=folder,
                start_new_session=True,  # Ctrl-C is for the supervisor
            )
        return cls(
            process,
            folder,
            lambda patience: end_runner(process, token, own_broker=own_broker, patience=patience),
        )

    def give(self, job: Job) -> None:
        """Hand over what is to be done; raises Ended if nobody takes it."""
        if self._handed_in is not None:
            given = Path(job.folder)
            if self._handed_in != given:
                copy_files(given, self._handed_in)
            inside = bwrap_sandbox.work_folder(given)
            copied = str(bwrap_sandbox.HANDED_IN) if inside == bwrap_sandbox.WORK else None
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
        """Hand over an order; raises Ended if nobody takes it."""
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(json.dumps(order).encode() + b"\n")
            self._process.stdin.flush()
        except OSError as error:
            raise Ended(False, self._how_it_ended()) from error

    def events(self) -> Iterator[dict[str, Any]]:
        """The events as they come, up to `done`; raises Ended when no more can come."""
        with open(self._folder / EVENTS_FILE, "rb") as file:
            rest = b""
            while True:
                over = self._process.poll() is not None  # before reading: its last words count
                part = file.read(MAX_MEGABYTES << 20)
                rest += part
                while b"\n" in rest:
                    line, rest = rest.split(b"\n", 1)
                    event = _event(line)
                    self._done = event["event"] == "done"
                    yield event
                    if self._done:
                        return
                if part and len(rest) <= MAX_MEGABYTES << 20:
                    continue
                if part:
                    raise Ended(False, f"one event is larger than {MAX_MEGABYTES} MB")
                if over:
                    raise Ended(False, self._how_it_ended())
                if time.monotonic() > self._until:
                    raise Ended(True, f"nothing came within {self._until - self._since:.0f} s")
                time.sleep(POLL_SECONDS)

    def recording(self, task: int, number: int) -> dict[str, Any]:
        """The recording that was just written, the `number`th of a task (both from 0)."""
        path = self._folder / recordings_file(task)
        try:
            # neither a link nor a pipe that was put there meanwhile
            handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
            with open(handle, "rb") as file:
                if not stat.S_ISREG(os.fstat(handle).st_mode):
                    raise Ended(False, "its recording is not a file")
                text = file.read((MAX_MEGABYTES << 20) + 1)
            if len(text) > MAX_MEGABYTES << 20:
                raise Ended(False, f"its recordings are larger than {MAX_MEGABYTES} MB")
            found = _loaded(text.splitlines()[number])
        except (OSError, ValueError, IndexError, RecursionError) as error:
            link = isinstance(error, OSError) and error.errno == errno.ELOOP
            said = "is not a file" if link else "cannot be read"
            raise Ended(False, f"its recording {said}") from error
        if not isinstance(found, dict):
            raise Ended(False, "its recording cannot be read")
        return found

    def end(self) -> None:
        """End it with all that it started, and remove its folder."""
        try:
            with contextlib.suppress(OSError):
                if self._process.stdin is not None:
                    self._process.stdin.close()
            self._end_all(END_SECONDS if self._done else 0.0)
        finally:
            remove_scratch(self._folder)

    def _how_it_ended(self) -> str:
        try:
            code = self._process.wait(5)
        except subprocess.TimeoutExpired:
            return "it closed its input"
        if why := self._why():
            return f"it was ended: {why}"
        if code in (-9, 128 + 9):  # of the process, or as its sandbox tells it
            return "it was killed (is the memory full?)"
        log = (self._folder / "log").read_bytes()[-2000:].decode(errors="replace").strip()
        return f"it ended with exit code {code}" + (f"\n{log}" if log else "")


def copy_files(source: Path, target: Path) -> None:
    """Copy what is in a folder; links stay links, and what is no file is left out."""
    with contextlib.suppress(shutil.Error):  # a pipe or a socket among the files
        shutil.copytree(source, target, symlinks=True, dirs_exist_ok=True)


def _loaded(text: bytes) -> Any:
    """What a line of JSON holds; half a sign (a lone surrogate), which no file can hold, becomes a `?`."""
    found = json.loads(text)
    if rb"\ud" in text.lower():
        found = json.loads(json.dumps(found, ensure_ascii=False).encode("utf-8", "replace"))
    return found


def _event(line: bytes) -> dict[str, Any]:
    try:
        event = _loaded(line)
        fields = _FIELDS[event["event"]]
        if all(isinstance(event[name], kind) for name, kind in fields.items()):
            return event  # type: ignore[no-any-return]
    except (ValueError, TypeError, KeyError, RecursionError):
        pass
    raise Ended(False, SPOILT)
