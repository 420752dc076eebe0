"""A folder for a server that is going to be guarded."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from grader.runtime.scratch_folders import make_scratch, remove_scratch


@contextmanager
def server_folder(kind: str) -> Iterator[Path]:
    """A new folder that ends with the block, also if the server's guard has not started yet."""
    folder = make_scratch(kind, owned=False)
    try:
        yield folder
    finally:
        remove_scratch(folder)
