"""Start-up caches: Java starts several times faster when it has seen its work before.

Java 25 writes an ahead-of-time cache (linked classes, heap objects), older ones a class-data
archive. Each fits one Java and one class path. Its name says which, so that one made for others is
never used; without one everything works, only slower.
"""

import hashlib
import os
import subprocess
from collections.abc import Sequence
from pathlib import Path

from grader.runtime.java import Java, java_environment
from grader.runtime.paths import cache_dir

AHEAD_OF_TIME = 25  # the first Java that makes a whole cache in one run (JEP 514)
PROBE_SECONDS = 60


def cache_path(kind: str, java: Java, class_path: Sequence[Path]) -> Path:
    """Where the cache of `kind` ("broker" or "spark") for this Java and class path belongs."""
    digest = hashlib.sha256()
    modules = java.home / "lib" / "modules"
    for path in (java.program.resolve(), modules, *class_path):
        facts = path.stat() if path.exists() else None
        size, time = (facts.st_size, facts.st_mtime_ns) if facts else (0, 0)
        digest.update(f"{path}|{size}|{time}\n".encode())
    digest.update(java.version.encode())
    folder = cache_dir() / "archives"
    folder.mkdir(parents=True, exist_ok=True)
    ending = "aot" if java.major >= AHEAD_OF_TIME else "jsa"
    return folder / f"{kind}-{digest.hexdigest()[:16]}.{ending}"


def flags_to_use(cache: Path) -> list[str]:
    """The Java flags that use the cache, if it is there; Java continues without a cache that does not fit."""
    if not cache.is_file():
        return []
    if cache.suffix == ".aot":
        return [f"-XX:AOTCache={cache}", "-XX:AOTMode=auto"]
    return [f"-XX:SharedArchiveFile={cache}", "-Xshare:auto"]


def flags_to_make(cache: Path, java: Java) -> list[str]:
    """The Java flags that write the cache when a run ends."""
    if java.major >= AHEAD_OF_TIME:
        return [f"-XX:AOTCacheOutput={cache}"]
    return [f"-XX:ArchiveClassesAtExit={cache}"]


def misfit(cache: Path, java: Java, flags: Sequence[str], class_path: Sequence[Path]) -> str | None:
    """Why Java refuses this cache when run with `flags`; None if it takes it.

    A cache with the right name can still be truncated (a full disk) or be refused (different flags).
    """
    strict = {"-XX:AOTMode=auto": "-XX:AOTMode=on", "-Xshare:auto": "-Xshare:on"}
    using = [strict.get(flag, flag) for flag in flags_to_use(cache)]
    try:
        done = subprocess.run(
            [str(java.program), *flags, *using, "-version"],
            env={**java_environment(), "CLASSPATH": os.pathsep.join(map(str, class_path))},
            capture_output=True,
            text=True,
            timeout=PROBE_SECONDS,
        )
    except (OSError, subprocess.SubprocessError) as error:
        return str(error)
    return None if done.returncode == 0 else (done.stdout + done.stderr).strip()
