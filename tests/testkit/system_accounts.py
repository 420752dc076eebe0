"""Accounts of the system for tests, and a view of the disk in which they can read this project."""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from grader.runtime.bubblewrap import NoBubblewrapError, find_bubblewrap
from grader.runtime.paths import cache_dir
from testkit.lab_processes import ROOT, wait_until


def reason_for_none() -> str:
    """Why no accounts can be made here; "" if they can."""
    if os.geteuid() != 0 or not shutil.which("useradd"):
        return "only root can make accounts of the system"
    try:
        find_bubblewrap()
    except NoBubblewrapError as problem:
        return f"the accounts need a view of the disk of their own: {problem}"
    return ""


needs_accounts = pytest.mark.skipif(bool(reason_for_none()), reason=reason_for_none())


@contextlib.contextmanager
def accounts(*names: str) -> Iterator[dict[str, str]]:
    """Accounts of the system whose homes are closed to others; name → password. They are deleted again."""
    passwords = {name: secrets.token_hex(8) for name in names}
    made = []
    try:
        for name in names:
            _run("useradd", "--create-home", "-K", "HOME_MODE=0700", "--shell", "/bin/bash", name)
            made.append(name)
        _run("chpasswd", given="".join(f"{name}:{word}\n" for name, word in passwords.items()))
        yield passwords
    finally:
        for name in made:
            wait_until(
                lambda name=name: not _processes_of(name), f"no process of {name} is left", 30
            )
            _run("userdel", "--remove", name)


def opened_to_all() -> list[str]:
    """The start of a command whose processes may read project, Python and cache, even below a closed folder.

    It gives the processes a view of the disk and numbers of processes of their own.
    """
    paths = [ROOT, Path(sys.prefix), Path(sys.base_prefix), cache_dir()]
    words = [str(find_bubblewrap()), "--cap-add", "ALL", "--dev-bind", "/", "/"]
    words += ["--unshare-pid", "--proc", "/proc", "--die-with-parent"]
    closed = {path: top for path in paths if (top := _first_closed(path))}
    for top in sorted(set(closed.values())):
        words += ["--tmpfs", str(top)]
    for path, top in sorted(closed.items()):
        for way in reversed(path.relative_to(top).parents[:-1]):
            words += ["--perms", "0755", "--dir", str(top / way)]
        words += ["--ro-bind", str(path), str(path)]
    return [*words, "--"]


def _first_closed(path: Path) -> Path | None:
    """The topmost folder on the way to `path` that only its owner may enter."""
    ways = [*reversed(path.parents), path]
    return next((one for one in ways if not one.stat().st_mode & 0o001), None)


def _processes_of(user: str) -> list[int]:
    """The processes of an account; one that ends just now counts no more."""
    found = psutil.process_iter(["pid", "username"])
    return [one.info["pid"] for one in found if one.info["username"] == user]


def _run(*command: str, given: str = "") -> None:
    done = subprocess.run(command, input=given, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
