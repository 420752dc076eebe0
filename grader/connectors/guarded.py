"""A server process that ends with the block it is started for, and with the process that did."""

import json
import secrets
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from grader.runtime import guard
from grader.runtime.errors import SetupError

LOG_TAIL_LINES = 25


@contextmanager
def guarded(
    command: Sequence[str], environment: Mapping[str, str], data: Path
) -> Iterator[Callable[[], bool]]:
    """Run `command` under the guard until the block ends; gives a function: has it ended by itself?

    The guard also ends it when this process is killed. It holds the lock of `data`, a folder made by
    `make_scratch(…, owned=False)`, and removes it. What the server says goes to `data`/server.log.
    Raises SetupError if the guard does not start.
    """
    log = data / "server.log"
    task = {
        "command": list(command),
        "environment": dict(environment),
        "log": str(log),
        "data": str(data),
        "token": secrets.token_hex(16),
        "registry": str(data / "registry.json"),  # nobody else may take a lease: none is written
        "about": {},
    }
    with open(log, "ab") as errors:
        process = subprocess.Popen(
            [sys.executable, "-I", "-S", guard.__file__],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            start_new_session=True,
            cwd="/",
        )
    assert process.stdin is not None and process.stdout is not None
    try:
        process.stdin.write(json.dumps(task).encode() + b"\n")
        process.stdin.flush()
        if not process.stdout.readline():
            raise SetupError(f"The guard of a server did not start. Its log:\n{log_tail(data)}")
        yield lambda: process.poll() is not None
    finally:
        process.stdin.close()  # the open input is our lease
        process.stdout.close()
        process.wait()


def log_tail(data: Path) -> str:
    """The last lines that the server in this folder has said."""
    try:
        lines = (data / "server.log").read_text(errors="replace").splitlines()
    except OSError:
        return "(it has written no log)"
    return "\n".join(lines[-LOG_TAIL_LINES:]) or "(its log is empty)"
