"""A server process that ends with the block it is started for, and with the process that did."""

import secrets
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from grader.errors import SetupError
from grader.runtime.log_tail import log_tail
from grader.runtime.process_guard import start_guard
from grader.runtime.scratch_folders import make_scratch, remove_scratch


@dataclass(frozen=True)
class Guarded:
    """A running server: its log, and whether it has ended by itself."""

    log: Path
    _guard: "subprocess.Popen[bytes]"

    def ended(self) -> bool:
        """Whether the server is gone."""
        return self._guard.poll() is not None


@contextmanager
def guarded(
    command: Sequence[str], environment: Mapping[str, str], data: Path
) -> Iterator[Guarded]:
    """Run `command` until the block ends, under a guard that ends it when this process is killed, too.

    The guard holds the lock of `data`, a folder made by `make_scratch(…, owned=False)`, and removes it.
    Raises SetupError if the guard does not start.
    """
    logs = make_scratch("server-log")
    task = {
        "command": list(command),
        "environment": dict(environment),
        "data": str(data),
        "token": secrets.token_hex(16),
        # none is written, so that no other can take a lease
        "registry": str(logs / "registry.json"),
        "about": {},
    }
    guard, answer = start_guard(task, logs / "log")
    assert guard.stdin is not None and guard.stdout is not None
    try:
        if answer is None:
            raise SetupError(f"The guard of a server did not start:\n{log_tail(logs / 'log')}")
        yield Guarded(logs / "log", guard)
    finally:
        guard.stdin.close()  # the open input is our lease
        guard.stdout.close()
        guard.wait()
        remove_scratch(logs)
