"""A runner without a sandbox: started with our own rights, and ended with all that it started."""

from __future__ import annotations

import contextlib
import os
import subprocess
import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

import psutil

from grader.runtime import process_guard

TOKEN_VARIABLE = "GRADER_JOB"  # its value marks every process that a runner started


@dataclass
class NoSandbox:
    """A command without a sandbox. A broker that others may use does not end with it."""

    process: subprocess.Popen[bytes]
    token: str
    own_broker: bool
    why: str | None = None  # nothing watches it

    def end(self, grace_seconds: float = 0.0) -> int:
        """End the command, its JVM, its Python workers, and its own broker if it has one.

        It gets `patience` seconds to end by itself once its input is closed; so do the others.
        """
        try:
            self.process.wait(grace_seconds)
        except subprocess.TimeoutExpired:
            self.process.kill()
        code = self.process.wait()
        _, alive = psutil.wait_procs(self._marked(), timeout=5)
        # what was created meanwhile is marked as well
        for left in {*alive, *self._marked()}:
            with contextlib.suppress(psutil.Error):
                left.kill()
        return code

    def _marked(self) -> list[psutil.Process]:
        """The living processes that the command started."""
        found = []
        for process in psutil.process_iter():
            with contextlib.suppress(psutil.Error, OSError):
                ours = process.environ().get(TOKEN_VARIABLE) == self.token
                if ours and process.status() != psutil.STATUS_ZOMBIE:
                    broker = {process_guard.__file__, "kafka.Kafka"} & set(process.cmdline())
                    found += [process] if self.own_broker or not broker else []
        return found


def start(command: Sequence[str], *, job: Path, log: IO[bytes], own_broker: bool) -> NoSandbox:
    """Start a command in the folder of its `job`; `stdin` is a pipe, its output goes to `log`."""
    token = uuid.uuid4().hex
    environment = {**os.environ, TOKEN_VARIABLE: token, "MPLBACKEND": "agg"}
    environment["IPYTHONDIR"] = str(job / "ipython")
    if own_broker:
        environment["GRADER_STATE"] = str(job / "state")
        environment.pop("GRADER_KAFKA", None)
    process = subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=log,
        stderr=log,
        env=environment,
        cwd=job,
        start_new_session=True,  # Ctrl-C is for the supervisor
    )
    return NoSandbox(process, token, own_broker)
