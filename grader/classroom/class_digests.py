"""Digests of what a grade rests on: what ran, what it was run by, and what judges it."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Collection
from functools import lru_cache
from importlib.metadata import version
from pathlib import Path

from grader.authoring.digests import LIBRARIES, jar_locks
from grader.runtime.java import find_java
from grader.runtime.paths import PACKAGE
from grader.validity.digest import digest_of

# what a cell and a play do, and what is kept of it, depends on these, beside notebook and events
_RUNS = (
    *("scenario/*.py", "replay/*.py", "runtime/spark_session.py", "runtime/broker.py"),
    *("sandbox/runner.py", "sandbox/cell_shell.py", "sandbox/supervisor.py"),
    *("sandbox/runner_recording.py", "sandbox/answer_cells.py", "sandbox/resource_limits.py"),
    *("sandbox/sandbox_files.py", "sandbox/bwrap_sandbox.py", "sandbox/container_sandbox.py"),
    "sandbox/noted_predictions.py",
)


def folder_digest(folder: Path, *, leave_out: Collection[str] = ()) -> str:
    """A digest of the files in a folder, their names and what they hold; links count as links.

    `leave_out` are paths in the folder that do not count.
    """
    hashed = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        name = str(path.relative_to(folder))
        if name in leave_out:
            continue
        if path.is_symlink():
            hashed.update(_hash(f"link {name}", os.fsencode(os.readlink(path))))
        elif path.is_file():
            hashed.update(_hash(f"file {name}", path.read_bytes()))
    return hashed.hexdigest()[:32]


@lru_cache(maxsize=1)
def runs_digest() -> str:
    """A digest of what runs a submission: with a change in it its code has to run again."""
    libraries = [f"{name} {version(name)}" for name in LIBRARIES]
    return digest_of([_files_digest(*_RUNS), *libraries, *jar_locks(), find_java().version])


def _files_digest(*globs: str) -> str:
    files = sorted({path for each in globs for path in PACKAGE.glob(each)})
    return digest_of(f"{p.relative_to(PACKAGE)}\n{p.read_text(encoding='utf-8')}" for p in files)


def _hash(name: str, data: bytes) -> bytes:
    return hashlib.sha256(os.fsencode(name) + b"\0" + data).digest()
