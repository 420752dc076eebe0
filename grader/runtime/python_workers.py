"""How Spark's driver gets its own Python workers: forked, so that they start in a hundredth of a second."""

from __future__ import annotations

import contextlib
import os
import shlex
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

from grader.runtime.scratch_folders import make_scratch
from grader.runtime.worker_fork import MODULES

SCRIPT = Path(__file__).with_name("worker_fork.py")
LONGEST_ADDRESS = 100  # bytes; Linux takes 107 for a Unix socket

_server: subprocess.Popen[bytes] | None = None
_launcher: Path | None = None


def fork_workers(context: Any) -> None:
    """Let the driver's Python workers of this SparkContext be forked from a process that has imported already.

    This needs a local master, Linux, and a temporary folder that allows programs and sockets. Otherwise it
    has no effect, and Spark starts Python itself.
    """
    if sys.platform != "linux" or not context.master.startswith("local"):
        return
    with contextlib.suppress(OSError):
        launcher = _launcher if _server is not None and _server.poll() is None else _start()
        if launcher is not None:
            context.pythonExec = str(launcher)


def _start() -> Path | None:
    """Start the server, which is small until a worker is needed; returns the program to run in place of Python."""
    global _server, _launcher
    folder = make_scratch("workers")
    address = folder / "socket"
    if len(os.fsencode(address)) > LONGEST_ADDRESS:
        return None
    launcher = _write_launcher(folder / "python", address)
    if not os.access(launcher, os.X_OK):
        return None
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(address))
        listener.listen()
        number = listener.fileno()
        _server = subprocess.Popen(
            [sys.executable, "-I", "-S", str(SCRIPT), "serve", str(number), sys.executable],
            # as PySpark sets it for its workers: a string has the same hash in all of them
            env={"PYTHONHASHSEED": "0", **os.environ},
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            pass_fds=[number],
            start_new_session=True,
        )
    _launcher = launcher
    return launcher


def _write_launcher(path: Path, address: Path) -> Path:
    python, script, at = (shlex.quote(str(p)) for p in (sys.executable, SCRIPT, address))
    cases = "|".join(f'"-m {module}"' for module in MODULES)
    path.write_text(
        "#!/bin/sh\n"
        f'case "$1 $2" in {cases}) exec {python} -I -S {script} launch {at} {python} "$@" ;; esac\n'
        f'exec {python} "$@"\n'
    )
    path.chmod(0o700)
    return path
