"""Ending a runner that no sandbox holds, with all that it started."""

from __future__ import annotations

import contextlib
import subprocess

import psutil

from grader.runtime import process_guard

TOKEN_VARIABLE = "GRADER_JOB"  # its value marks every process that a runner started


def end_runner(
    process: subprocess.Popen[bytes], token: str, *, own_broker: bool, patience: float
) -> None:
    """End the runner, its Java, its Python workers, and its broker if it has one of its own.

    The runner gets `patience` seconds to end by itself once its input is closed; so do the others.
    """
    try:
        process.wait(patience)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    _, alive = psutil.wait_procs(marked(token, own_broker=own_broker), timeout=5)
    # what came into being meanwhile is marked as well
    for left in {*alive, *marked(token, own_broker=own_broker)}:
        with contextlib.suppress(psutil.Error):
            left.kill()


def marked(token: str, *, own_broker: bool) -> list[psutil.Process]:
    """The living processes of a runner. A broker that others may use is not among them."""
    found = []
    for process in psutil.process_iter():
        with contextlib.suppress(psutil.Error, OSError):
            if process.environ().get(TOKEN_VARIABLE) != token:
                continue
            if process.status() == psutil.STATUS_ZOMBIE:
                continue
            if own_broker or not _is_broker(process.cmdline()):
                found.append(process)
    return found


def _is_broker(command: list[str]) -> bool:
    return process_guard.__file__ in command or "kafka.Kafka" in command
