"""Class-data archives: Java starts several times faster when it has seen its classes before.

An archive fits one Java and one class path. Its name says which, so that one made for others is
never used; without one everything works, only slower.
"""

import hashlib
from collections.abc import Sequence
from pathlib import Path

from grader.runtime.java import Java
from grader.runtime.paths import cache_dir

KEPT = 2


def archive_path(kind: str, java: Java, class_path: Sequence[Path]) -> Path:
    """Where the archive of `kind` ("broker" or "spark") for this Java and class path belongs."""
    digest = hashlib.sha256()
    modules = java.home / "lib" / "modules"
    for path in (java.program.resolve(), modules, *class_path):
        facts = path.stat() if path.exists() else None
        size, time = (facts.st_size, facts.st_mtime_ns) if facts else (0, 0)
        digest.update(f"{path}|{size}|{time}\n".encode())
    digest.update(java.version.encode())
    folder = cache_dir() / "archives"
    folder.mkdir(parents=True, exist_ok=True)
    return folder / f"{kind}-{digest.hexdigest()[:16]}.jsa"


def archive_flags(archive: Path) -> list[str]:
    """The Java flags that use the archive, if it is there."""
    if not archive.is_file():
        return []
    return [f"-XX:SharedArchiveFile={archive}", "-Xshare:auto"]


def remove_old(kind: str, keep: Path) -> None:
    """Remove old archives of this kind; the newest few stay, other clones may use them."""
    others = [path for path in keep.parent.glob(f"{kind}-*.jsa") if path != keep]
    for path in sorted(others, key=lambda path: path.stat().st_mtime)[:-KEPT]:
        path.unlink(missing_ok=True)
