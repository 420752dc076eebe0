"""Servers that a lesson downloads and starts: whether they can be had here, and what is left of them."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest

from grader.errors import SetupError

ENDINGS = {
    "its process is interrupted": lambda process: process.send_signal(signal.SIGINT),
    "its process is killed": lambda process: process.kill(),
    "its process ends without closing it": lambda process: process.communicate("\n"),
}
WAIT_SECONDS = 60


def had_or_skipped(download: Callable[[], object]) -> None:
    """Download what a server needs, or skip the tests of a module."""
    try:
        download()
    except SetupError as error:
        pytest.skip(str(error), allow_module_level=True)


def leave_open(start: str, end: Callable[["subprocess.Popen[str]"], object]) -> None:
    """Start servers in a process that never closes them, and end it: no process and no folder may be left.

    `start` is code that enters servers into the ExitStack `open`.
    """
    code = f"""
import json, psutil
from contextlib import ExitStack
open = ExitStack()
{start}
below = psutil.Process().children(recursive=True)
print(json.dumps([[p.pid, " ".join(p.cmdline())] for p in below]), flush=True)
input()
"""
    with subprocess.Popen(
        [sys.executable, "-c", code],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        line = process.stdout.readline()
        assert line, process.stderr and process.stderr.read()
        started = json.loads(line)
        running = [psutil.Process(pid) for pid, _ in started]
        end(process)
        _, alive = psutil.wait_procs(running, WAIT_SECONDS)
    assert started and alive == []
    assert [folder for folder in _folders(started) if folder.exists()] == []


def _folders(started: list[tuple[int, str]]) -> set[Path]:
    """The folders of the servers: those that their commands name."""
    base = f"stateful-streams-{os.getuid()}"
    parts = [Path(word) for _, command in started for word in command.split() if base in word]
    found = set()
    for path in parts:
        names = str(path).split(f"{base}/")
        found.add(Path(names[0].rpartition("=")[2], base, names[1].split("/")[0]))
    return found
