"""Waiting on conditions, and finding the processes of one lab."""

import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import psutil

ROOT = Path(__file__).parents[2]


def wait_until(condition: Callable[[], object], what: str, seconds: float = 120) -> None:
    """Wait until the condition holds; fail with `what` when it does not in time."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, f"waited {seconds} s in vain: {what}"
        time.sleep(0.05)


def processes_of(state: Path) -> list[psutil.Process]:
    """The living processes that run with this GRADER_STATE, less this one."""
    found = []
    for process in psutil.process_iter():
        try:
            if process.pid == os.getpid() or process.status() == psutil.STATUS_ZOMBIE:
                continue
            if process.environ().get("GRADER_STATE") == str(state):
                found.append(process)
        except psutil.Error:
            continue
    return found


def named(state: Path, word: str) -> list[psutil.Process]:
    """Those of them with this word in their command."""
    found = []
    for process in processes_of(state):
        try:
            if any(word in part for part in process.cmdline()):
                found.append(process)
        except psutil.Error:
            continue
    return found


def start_python(code: str, **options: object) -> "subprocess.Popen[str]":
    """A Python process that runs the code with this project's packages; output by line."""
    return subprocess.Popen(  # type: ignore[call-overload,no-any-return]
        [sys.executable, "-c", code],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        **options,
    )
