"""A server process that ends with the block it is started for, and with the process that did."""

import json
import secrets
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from grader.errors import SetupError
from grader.runtime import broker_guard
from grader.runtime.scratch_folders import make_scratch, remove_scratch

LOG_TAIL_LINES = 25


@dataclass(frozen=True)
class Guarded:
    """A running server: whether it has ended by itself, and what it has said."""

    _guard: "subprocess.Popen[bytes]"
    _log: Path

    def ended(self) -> bool:
        """Whether the server is gone."""
        return self._guard.poll() is not None

    def log_tail(self) -> str:
        """The last lines that it wrote."""
        lines = self._log.read_text(errors="replace").splitlines()
        return "\n".join(lines[-LOG_TAIL_LINES:]) or "(its log is empty)"


@contextmanager
def guarded(
    command: Sequence[str], environment: Mapping[str, str], data: Path
) -> Iterator[Guarded]:
    """Run `command` until the block ends, under a guard that ends it when this process is killed, too.

    The guard holds the lock of `data`, a folder made by `make_scratch(…, owned=False)`, and removes it.
    Raises SetupError if the guard does not start.
    """
    logs = make_scratch("server-log")
    log = logs / "log"
    task = {
        "command": list(command),
        "environment": dict(environment),
        "log": str(log),
        "data": str(data),
        "token": secrets.token_hex(16),
        "registry": str(logs / "registry.json"),  # nobody else may take a lease: none is written
        "about": {},
    }
    with open(log, "ab") as errors:
        process = subprocess.Popen(
            [sys.executable, "-I", "-S", broker_guard.__file__],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            start_new_session=True,
            cwd="/",
        )
    assert process.stdin is not None and process.stdout is not None
    running = Guarded(process, log)
    try:
        process.stdin.write(json.dumps(task).encode() + b"\n")
        process.stdin.flush()
        if not process.stdout.readline():
            raise SetupError(f"The guard of a server did not start:\n{running.log_tail()}")
        yield running
    finally:
        process.stdin.close()  # the open input is our lease
        process.stdout.close()
        process.wait()
        remove_scratch(logs)
