"""File locks between processes. The system releases them when a process ends."""

import errno
import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from grader.errors import SetupError

WITHOUT_LOCKS = (errno.ENOLCK, errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP)


@contextmanager
def file_lock(path: Path) -> Iterator[None]:
    """Hold the lock on `path`; waits while another process holds it. Raises SetupError."""
    descriptor = _locked(path, fcntl.LOCK_EX)
    try:
        yield
    finally:
        os.close(descriptor)


def try_lock(path: Path) -> int | None:
    """Take the lock on `path` without waiting: its descriptor, or None if another process holds it.

    Raises SetupError if the file system has no locks.
    """
    try:
        return _locked(path, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return None


def _locked(path: Path, how: int) -> int:
    descriptor = os.open(path, os.O_CREAT | os.O_RDWR, 0o600)
    try:
        fcntl.flock(descriptor, how)
    except OSError as error:
        os.close(descriptor)
        if error.errno not in WITHOUT_LOCKS:
            raise
        raise SetupError(
            f"The file system of {path.parent} has no locks ({error.strerror}), as with some network folders. "
            "Fix: name a folder on a local disk in the variable that this one comes from: GRADER_STATE, "
            "GRADER_CACHE, GRADER_CHECKPOINTS or TMPDIR"
        ) from error
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor
