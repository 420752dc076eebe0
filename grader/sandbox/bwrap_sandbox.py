"""The sandbox of a submission, made by bubblewrap: how it starts, is watched, and ends with all in it.

What its processes see is in sandbox_files.py, what they may take in resource_limits.py. It has only
its own loopback network, and sees no process of the machine.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import IO

from grader.runtime.bubblewrap import ISOLATION, find_bubblewrap
from grader.sandbox import confinement
from grader.sandbox.resource_limits import Limits
from grader.sandbox.sandbox_files import CHECK, FOLDERS, HANDED_IN, environment, mounts
from grader.sandbox.syscall_filter import refused_calls

WATCH_SECONDS = 0.2


class BwrapSandbox:
    """A command that runs in a sandbox, which ends with it.

    `why` says which limit the watch ended it for, if it did.
    """

    def __init__(self, process: subprocess.Popen[bytes], first: int | None, limits: Limits):
        self.process = process
        self.why: str | None = None
        self._handle = _handle(first)
        self._over = threading.Event()
        self._watch = threading.Thread(target=self._look, args=(first, limits), daemon=True)
        self._watch.start()

    def end(self, grace_seconds: float = 0.0) -> int:
        """Wait `patience` seconds for the command, then end all processes; returns the exit code."""
        try:
            self.process.wait(grace_seconds)
        except subprocess.TimeoutExpired:
            self._kill()
        code = self.process.wait()
        self._over.set()
        self._watch.join()
        if self._handle is not None:
            os.close(self._handle)
            self._handle = None
        return code

    def _kill(self) -> None:
        """End the sandbox's first process; the kernel ends all others before that is gone."""
        if self._handle is None:
            self.process.kill()
            return
        with contextlib.suppress(ProcessLookupError):
            signal.pidfd_send_signal(self._handle, signal.SIGKILL)

    def _look(self, first: int | None, limits: Limits) -> None:
        """End it when it breaks a limit; `first` is its first process as the machine numbers it."""
        while first is not None and self.process.poll() is None:
            if self._over.wait(WATCH_SECONDS):
                return
            self.why = limits.broken_by(first)
            if self.why:
                self._kill()
                return


def start(
    command: Sequence[str],
    *,
    job: Path,
    writable: Iterable[str] = (),
    handed_in: Path | None = None,
    log: IO[bytes],
    limits: Limits | None = None,
) -> BwrapSandbox:
    """Start a command in a sandbox; `stdin` is a pipe, its output goes to `log`.

    The sandbox sees `job` as CHECK, and can change only the files named in `writable` there. It sees
    `handed_in` as HANDED_IN. The command starts in WORK, which is empty. The thread that calls must live
    as long as the sandbox, because the kernel ends the sandbox with the thread.
    """
    limits = limits or Limits()
    words = [str(find_bubblewrap()), *ISOLATION, *mounts(limits)]
    words += ["--ro-bind", str(job), str(CHECK)]
    for name in writable:
        words += ["--bind", str(job / name), str(CHECK / name)]
    if handed_in is not None:
        words += ["--ro-bind", str(handed_in), str(HANDED_IN)]
    words += ["--remount-ro", "/"]
    task = {"limits": limits.of_the_kernel(), "folders": FOLDERS}
    first = [sys.executable, "-I", "-S", confinement.__file__, json.dumps(task)]
    with contextlib.ExitStack() as ours:
        read_end, write_end = os.pipe()
        answer = ours.enter_context(open(read_end, "rb"))
        theirs = [write_end]
        ours.callback(lambda: _close(theirs))
        words += ["--info-fd", str(write_end)]
        refused = refused_calls()
        if refused is not None:
            filter_, fill = os.pipe()
            theirs.append(filter_)
            with open(fill, "wb") as file:
                file.write(refused)
            words += ["--seccomp", str(filter_)]
        process = subprocess.Popen(
            [*words, "--chdir", "/", "--", *first, *command],
            stdin=subprocess.PIPE,
            stdout=log,
            stderr=log,
            env=environment(),  # also of bwrap itself: its processes can be read from inside
            cwd="/",
            pass_fds=theirs,
            start_new_session=True,
        )
        _close(theirs)  # its answer ends with its own end of it
        return BwrapSandbox(process, _first_process(answer), limits)


def _close(descriptors: list[int]) -> None:
    while descriptors:
        os.close(descriptors.pop())


def _first_process(answer: IO[bytes]) -> int | None:
    """The sandbox's first process, as bwrap names it; None if it could not make one."""
    with contextlib.suppress(ValueError, KeyError):
        return int(json.loads(answer.read() or b"{}")["child-pid"])
    return None


def _handle(process: int | None) -> int | None:
    with contextlib.suppress(AttributeError, OSError):  # an old kernel, or it has ended
        return None if process is None else os.pidfd_open(process)
    return None
