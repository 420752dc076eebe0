"""Short digests of strings and of files: the same on every machine."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Collection, Iterable
from functools import lru_cache
from pathlib import Path

from grader.runtime.paths import PACKAGE


def digest_of(texts: Iterable[str]) -> str:
    """32 hexadecimal digits that identify these strings in this order."""
    return hashlib.sha256("\0".join(texts).encode("utf-8", "surrogatepass")).hexdigest()[:32]


def file_digest(path: Path) -> str:
    """32 hexadecimal digits that identify a file's bytes."""
    return hashlib.sha256(path.read_bytes()).hexdigest()[:32]


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
def package_digest() -> str:
    """A digest of all modules of the package as they are: two installations that agree are of one version."""
    files = sorted(PACKAGE.glob("**/*.py"))
    return digest_of(f"{p.relative_to(PACKAGE)}\n{p.read_text(encoding='utf-8')}" for p in files)


def _hash(name: str, data: bytes) -> bytes:
    return hashlib.sha256(os.fsencode(name) + b"\0" + data).digest()
