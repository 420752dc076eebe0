"""Temporary folders that do not outlive their owner, even one that was killed."""

import atexit
import os
import shutil
import tempfile
import time
from pathlib import Path

from grader.errors import SetupError
from grader.runtime.cluster import shared_folder
from grader.runtime.file_locks import try_lock

LOCK_NAME = ".owner"
YOUNG_SECONDS = 60

_held: dict[Path, int] = {}


def make_scratch(kind: str, *, owned: bool = True) -> Path:
    """A new temporary folder, removed when this process ends.

    A folder of kind "checkpoint" is in GRADER_CHECKPOINTS, if that is set: a cluster's workers see it.
    With owned=False another process is going to hold its lock and remove it.
    A folder whose owner was killed is removed by the next call in any process. Raises SetupError
    if the file system has no locks.
    """
    shared = shared_folder() if kind == "checkpoint" else None
    base = (shared or Path(tempfile.gettempdir())) / f"stateful-streams-{os.getuid()}"
    base.mkdir(mode=0o700, exist_ok=True)
    _sweep(base)
    folder = Path(tempfile.mkdtemp(prefix=f"{kind}-", dir=base))
    try:
        descriptor = try_lock(folder / LOCK_NAME)
    except SetupError:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    assert descriptor is not None
    if owned:
        _held[folder] = descriptor
        atexit.register(remove_scratch, folder)
    else:
        os.close(descriptor)
    return folder


def remove_scratch(folder: Path) -> None:
    """Remove a folder made by `make_scratch`; one that is gone already is fine."""
    shutil.rmtree(folder, ignore_errors=True)
    descriptor = _held.pop(folder, None)
    if descriptor is not None:
        os.close(descriptor)


def _sweep(base: Path) -> None:
    """Remove the folders of owners that died without doing so."""
    for folder in base.iterdir():
        try:
            if time.time() - folder.stat().st_mtime < YOUNG_SECONDS:
                continue  # its owner may be about to take the lock
            descriptor = try_lock(folder / LOCK_NAME)
        except OSError:
            continue
        if descriptor is not None:
            shutil.rmtree(folder, ignore_errors=True)
            os.close(descriptor)
