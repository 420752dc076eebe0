"""The runner as its supervisor sees it: started, listened to, given orders, ended."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
import time
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from grader.classroom.job import EVENTS_FILE, JOB_FILE, RECORDINGS, Job
from grader.classroom.processes import TOKEN_VARIABLE, end_runner
from grader.runtime.scratch import make_scratch, remove_scratch

RUNNER = [sys.executable, "-m", "grader.classroom.runner"]
END_SECONDS = 15.0
POLL_SECONDS = 0.03
MAX_MEGABYTES = 64  # of one recording, or of the events that have not been read yet

# what an event must hold; the rest of what a runner may write there is nobody's business
_FIELDS: dict[str, dict[str, Any]] = {
    "setup_failed": {"message": str},
    "ready": {},
    "cell": {"cell": int},
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
    """A running runner: its process, its folder, and until when its next event must come."""

    def __init__(
        self, process: subprocess.Popen[bytes], folder: Path, token: str, own_broker: bool
    ):
        self._process = process
        self._folder = folder
        self._token = token
        self._own_broker = own_broker
        self._since = self._until = time.monotonic()
        self._done = False

    @classmethod
    def start(cls, job: Job, *, own_broker: bool) -> RunnerProcess:
        """Start a runner in a session and a folder of its own."""
        folder = make_scratch("check")
        try:
            (folder / RECORDINGS).mkdir()
            (folder / EVENTS_FILE).touch()
            job.write(folder / JOB_FILE)
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
                    [*RUNNER, str(folder / JOB_FILE)],
                    stdin=subprocess.PIPE,
                    stdout=log,
                    stderr=log,
                    env=environment,
                    cwd=folder,
                    start_new_session=True,  # Ctrl-C is for the supervisor
                )
        except BaseException:
            remove_scratch(folder)
            raise
        return cls(process, folder, token, own_broker)

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

    def recording(self, exercise: str, number: int) -> dict[str, Any]:
        """The recording that was just written, the `number`th of the exercise (from 0)."""
        path = self._folder / RECORDINGS / f"{exercise}.jsonl"
        try:
            about = path.lstat()
            if not stat.S_ISREG(about.st_mode):
                raise Ended(False, "its recording is not a file")
            if about.st_size > MAX_MEGABYTES << 20:
                raise Ended(False, f"its recordings are larger than {MAX_MEGABYTES} MB")
            found = json.loads(path.read_bytes().splitlines()[number])
        except (OSError, ValueError, IndexError, RecursionError) as error:
            raise Ended(False, "its recording cannot be read") from error
        if not isinstance(found, dict):
            raise Ended(False, "its recording cannot be read")
        return found

    def end(self) -> None:
        """End it with all that it started, and remove its folder."""
        try:
            patience = END_SECONDS if self._done else 0.0
            end_runner(self._process, self._token, own_broker=self._own_broker, patience=patience)
        finally:
            remove_scratch(self._folder)

    def _how_it_ended(self) -> str:
        try:
            code = self._process.wait(5)
        except subprocess.TimeoutExpired:
            return "it closed its input"
        if code == -9:
            return "it was killed (is the memory full?)"
        log = (self._folder / "log").read_bytes()[-2000:].decode(errors="replace").strip()
        return f"it ended with exit code {code}" + (f"\n{log}" if log else "")


def _event(line: bytes) -> dict[str, Any]:
    try:
        event = json.loads(line)
        fields = _FIELDS[event["event"]]
        if all(isinstance(event[name], kind) for name, kind in fields.items()):
            return event  # type: ignore[no-any-return]
    except (ValueError, TypeError, KeyError, RecursionError):
        pass
    raise Ended(False, SPOILT)
