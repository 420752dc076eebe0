"""The Java archives that the lab needs; each is checked against the SHA-256 of its lock."""

import contextlib
import errno
import hashlib
import json
import os
import re
import shutil
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

from grader.errors import SetupError
from grader.runtime.file_locks import file_lock
from grader.runtime.paths import cache_dir

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

LOCKS = Path(__file__).parent / "jars"
ENVIRONMENTS = ("broker", "connector", "lake")
OF_SPARK = ("connector", "lake")  # what Spark's JVM loads beside PySpark's own jars
DOWNLOADS_AT_ONCE = 4
TRIES = 3
NO_ROOM = (errno.ENOSPC, errno.EDQUOT)
NEEDED_MB = 500  # of a disk: the jars, and the start-up caches that are made with them


@dataclass(frozen=True)
class Jar:
    """One locked archive."""

    group: str
    artifact: str
    version: str
    sha256: str

    @property
    def filename(self) -> str:
        """Its file name, as Maven has it."""
        return f"{self.artifact}-{self.version}.jar"


def locked_jars(environment: str) -> list[Jar]:
    """The jars of one of ENVIRONMENTS; of those for Spark only what PySpark does not already have."""
    jars = _lock(environment)
    if environment in OF_SPARK:
        there = {re.sub(r"-\d[^/]*\.jar$", "", path.name) for path in pyspark_jars()}
        jars = [jar for jar in jars if jar.artifact not in there]
    return sorted(jars, key=lambda jar: jar.filename)


def lock_file(environment: str, locks: Path | None = None) -> Path:
    """The lock of an environment: `connector-4.1` is for PySpark 4.1, `connector` for the default version."""
    series = ".".join(version("pyspark").split(".")[:2])
    folder = locks or LOCKS
    own = folder / f"{environment}-{series}"
    return (own if own.is_dir() else folder / environment) / "jgo.lock.toml"


def _lock(environment: str) -> list[Jar]:
    with open(lock_file(environment), "rb") as file:
        entries = tomllib.load(file)["dependencies"]
    return [Jar(e["groupId"], e["artifactId"], e["version"], e["sha256"]) for e in entries]


def pyspark_jars() -> list[Path]:
    """The jars that PySpark contains, in a fixed order (a class-data archive depends on it)."""
    return sorted((spark_home() / "jars").glob("*.jar"))


def spark_home() -> Path:
    """The folder of the installed PySpark (a SPARK_HOME set for something else is not ours)."""
    from importlib.util import find_spec

    spec = find_spec("pyspark")
    if spec is None or spec.origin is None:
        raise SetupError("PySpark is not installed. Run make setup.")
    return Path(spec.origin).parent


def jars_dir() -> Path:
    """The folder of all environments' jars, of any lock."""
    return cache_dir() / "jars"


def jar_folder(environment: str) -> Path:
    """Where an environment's jars are kept: a folder for each lock, because clones share the cache."""
    digest = hashlib.sha256("\n".join(map(repr, _lock(environment))).encode()).hexdigest()
    return jars_dir() / f"{environment}-{digest[:16]}"


def jar_paths(environment: str) -> list[Path]:
    """An environment's jars, fetched if one is missing or was truncated since the set-up."""
    if missing_jars(environment):
        return fetch_jars(environment, say=_to_stderr_if_a_person_looks)
    return [jar_folder(environment) / jar.filename for jar in locked_jars(environment)]


def spark_jars() -> list[Path]:
    """The jars that Spark's JVM loads after PySpark's own, in a fixed order."""
    return [path for environment in OF_SPARK for path in jar_paths(environment)]


def missing_jars(environment: str) -> list[Jar]:
    """The jars that are not there as they were verified (by lock entry and size: cheap)."""
    folder = jar_folder(environment)
    verified = _read_verified(folder)
    missing = []
    for jar in locked_jars(environment):
        try:
            size = (folder / jar.filename).stat().st_size
        except OSError:
            size = -1
        if verified.get(jar.filename) != [size, jar.sha256]:
            missing.append(jar)
    return missing


def fetch_jars(environment: str, *, say: Callable[[str], None] = print) -> list[Path]:
    """Download the environment's jars and verify each one's SHA-256; good ones stay.

    Raises SetupError if one cannot be downloaded, or never has the right hash.
    """
    jars = locked_jars(environment)
    folder = jar_folder(environment)
    folder.mkdir(parents=True, exist_ok=True)
    with file_lock(folder / ".lock"), room_in(folder):
        wanted = []
        for jar in jars:
            path = folder / jar.filename
            if not path.exists():
                wanted.append(jar)
            elif sha256(path) != jar.sha256:
                say(f"  {jar.filename} is damaged: fetching it again")
                path.unlink()
                wanted.append(jar)
        if wanted:
            say(f"  fetching {len(wanted)} of {len(jars)} jars from {', '.join(repositories())}")
            with ThreadPoolExecutor(DOWNLOADS_AT_ONCE) as pool:
                done = pool.map(lambda jar: _download(jar, folder, say), wanted)
                for count, (jar, size) in enumerate(zip(wanted, done, strict=True), 1):
                    say(f"  [{count}/{len(wanted)}] {jar.filename} ({size / 1e6:.1f} MB)")
        _write_verified(folder, jars)
    return [folder / jar.filename for jar in jars]


@contextlib.contextmanager
def room_in(folder: Path) -> Iterator[None]:
    """Raise SetupError, with the fix, if what the block writes does not fit on the folder's disk."""
    try:
        yield
    except OSError as error:
        if error.errno not in NO_ROOM:
            raise
        free = shutil.disk_usage(folder).free / 1e6
        raise SetupError(
            f"There is no room left in {folder}: the downloads and caches need {NEEDED_MB} MB, {free:.0f} MB are free. "
            "Fix: make room there, or name a folder on another disk in GRADER_CACHE; then run make setup again."
        ) from error


def repositories() -> dict[str, str]:
    """Name and URL of the Maven repositories, in the order they are tried.

    GRADER_MAVEN_MIRROR alone, if set; else those of jgo's configuration file
    (~/.config/jgo.conf, section [repositories]); else Maven Central.
    """
    mirror = os.environ.get("GRADER_MAVEN_MIRROR")
    if mirror:
        return {"mirror": mirror.rstrip("/")}
    from jgo.config import GlobalSettings
    from jgo.maven._core import DEFAULT_REMOTE_REPOS

    return {k: v.rstrip("/") for k, v in GlobalSettings.load().repositories.items()} or dict(
        DEFAULT_REMOTE_REPOS
    )


def sha256(path: Path) -> str:
    """The file's SHA-256 in hexadecimal."""
    digest = hashlib.sha256()
    with open(path, "rb") as file:
        while block := file.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()


def _download(jar: Jar, folder: Path, say: Callable[[str], None]) -> int:
    """Fetch one jar with jgo, verify it, move it into place; its size in bytes."""
    from jgo.maven import MavenContext

    context = MavenContext(repo_cache=folder / ".incoming", remote_repos=repositories(), timeout=30)
    artifact = context.project(jar.group, jar.artifact).at_version(jar.version).artifact()
    incoming = artifact.cached_path
    assert incoming is not None
    problem = ""
    try:
        for _ in range(TRIES):
            incoming.unlink(missing_ok=True)  # the part of an interrupted download
            try:
                context.resolver.download(artifact)
            except Exception as error:
                if isinstance(error, OSError) and error.errno in NO_ROOM:
                    raise
                problem = str(error) or type(error).__name__
                continue
            found = sha256(incoming)
            if found == jar.sha256:
                os.replace(incoming, folder / jar.filename)
                return (folder / jar.filename).stat().st_size
            problem = f"its SHA-256 is {found}, the lock has {jar.sha256}"
            say(f"  {jar.filename} came damaged: fetching it again")
    finally:
        incoming.unlink(missing_ok=True)
    raise SetupError(
        f"Could not fetch {jar.filename}: {problem}. Check the network; behind a company or "
        "school proxy set GRADER_MAVEN_MIRROR to its Maven mirror and REQUESTS_CA_BUNDLE to its "
        "certificates. Then run make setup again (jars already here are kept)."
    )


def _write_verified(folder: Path, jars: Sequence[Jar]) -> None:
    """Note the sizes of jars that were verified; others of the folder's stay noted."""
    sizes = {jar.filename: [(folder / jar.filename).stat().st_size, jar.sha256] for jar in jars}
    partial = folder / ".verified.part"
    try:
        partial.write_text(json.dumps({**_read_verified(folder), **sizes}, indent=1))
        os.replace(partial, folder / "verified.json")
    finally:
        partial.unlink(missing_ok=True)


def _read_verified(folder: Path) -> dict[str, list[object]]:
    try:
        verified: dict[str, list[object]] = json.loads((folder / "verified.json").read_text())
    except (OSError, ValueError):
        return {}
    return verified


def _to_stderr_if_a_person_looks(line: str) -> None:
    if sys.stderr.isatty() or "ipykernel" in sys.modules:
        print(line, file=sys.stderr)
