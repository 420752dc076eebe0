"""What attacks aim at: files with a secret, processes, services; made for one attack and looked at after it."""

from __future__ import annotations

import contextlib
import os
import socket
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any

from grader.sandbox.sandbox_files import CHECK, HANDED_IN

PROJECT = Path(__file__).resolve().parents[2]
LESSON = "03_watermarks"
SECRET = "secret"


class World:
    """A course's folder with one submission (`handed_in`) and its job, as the sandbox takes them.

    `answer` is the file of the machine that a submission may write: its recording.
    """

    def __init__(self, root: Path, ends: contextlib.ExitStack):
        self.root = root
        self.name = f"attack-{uuid.uuid4().hex[:12]}"
        self.job = root / "job"
        self.handed_in = root / "submitted" / "ada" / LESSON
        self.answer = self.job / "answer"
        self.answer_inside = CHECK / "answer"
        self.handed_in_inside = HANDED_IN
        self.ends = ends
        self._files: list[Path] = []
        self._processes: list[subprocess.Popen[bytes]] = []
        self._services: list[socket.socket] = []
        self.job.mkdir(parents=True)
        self.handed_in.mkdir(parents=True)
        (self.job / "JOB.json").write_text("{}")
        self.answer.touch()
        (self.handed_in / f"{LESSON}.ipynb").write_text("{}")

    def file(self, path: Path) -> Path:
        """Put a secret there; it must be as it was after the attack."""
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(SECRET)
        self.ends.callback(path.unlink, missing_ok=True)
        self._files.append(path)
        return path

    def temporary(self) -> Path:
        """A folder outside of the course, where anybody may write."""
        return Path(self.ends.enter_context(tempfile.TemporaryDirectory()))

    def process(self, *words: str) -> subprocess.Popen[bytes]:
        """A process of the teacher's, with a secret in its memory; it must be alive after the attack."""
        code = f"secret = {SECRET!r}; import time; print(flush=True); time.sleep(120)"
        process = subprocess.Popen(
            [sys.executable, "-I", "-S", "-c", code, *words], stdout=subprocess.PIPE
        )
        self.ends.callback(process.wait)
        self.ends.callback(process.kill)
        assert process.stdout is not None
        process.stdout.readline()
        self.ends.callback(process.stdout.close)
        self._processes.append(process)
        return process

    def service(self, family: socket.AddressFamily, address: Any) -> Any:
        """A service of the machine; nobody may have called it. Its address."""
        service = self.ends.enter_context(socket.socket(family))
        service.bind(address)
        service.listen()
        service.setblocking(False)
        self._services.append(service)
        return service.getsockname()

    def variable(self, name: str, value: str) -> None:
        """A variable of the teacher's environment, until the attack is over."""
        os.environ[name] = value
        self.ends.callback(os.environ.pop, name)

    def touched(self) -> list[str]:
        """What is no longer as it was put there."""
        found = [f"{path} was changed" for path in self._files if _text(path) != SECRET]
        found += [
            "a process was ended" for process in self._processes if process.poll() is not None
        ]
        return found + ["a service was called"] * self.calls()

    def calls(self) -> int:
        """How many called a service since the last look."""
        count = 0
        for service in self._services:
            with contextlib.suppress(BlockingIOError):
                while True:
                    service.accept()[0].close()
                    count += 1
        return count


def _text(path: Path) -> str | None:
    try:
        return path.read_text()
    except (OSError, UnicodeDecodeError):
        return None


def wait_for(there: Callable[[], bool], seconds: float) -> bool:
    """Whether it came to be within that time."""
    until = time.monotonic() + seconds
    while not there():
        if time.monotonic() > until:
            return False
        time.sleep(0.02)
    return True
