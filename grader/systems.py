"""Windows itself cannot run the lab: modules of Python that only Linux and macOS have are missing there."""

from __future__ import annotations

from grader.errors import SetupError

# what the package imports of https://docs.python.org/3/library/unix.html
ONLY_UNIX = {"fcntl", "pwd", "resource"}
WINDOWS = (
    "Windows itself lacks the file locks and the processes that this needs. The Linux in Windows has them: type "
    "`wsl --install` in a terminal, open the new Debian or Ubuntu, and begin there as the README says."
)


def what_is_missing(error: Exception) -> Exception:
    """The error that names the fix if a module of Linux and macOS is missing; `error` itself for others."""
    missing = isinstance(error, ModuleNotFoundError) and error.name in ONLY_UNIX
    return SetupError(WINDOWS) if missing else error
