"""The Java archives that the lab needs, each held to the SHA-256 of its lock."""

import errno
import hashlib
import json
import os
import re
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from grader.errors import SetupError
from grader.runtime.file_locks import file_lock
from grader.runtime.paths import cache_dir

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

LOCKS = Path(__file__).parent / "jars"
DOWNLOADS_AT_ONCE = 4
TRIES = 3


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
    """The jars of an environment ("broker" or "connector") that PySpark does not already have."""
    with open(LOCKS / environment / "jgo.lock.toml", "rb") as file:
        entries = tomllib.load(file)["dependencies"]
    jars = [Jar(e["groupId"], e["artifactId"], e["version"], e["sha256"]) for e in entries]
    if environment == "connector":
        there = {re.sub(r"-\d[^/]*\.jar$", "", path.name) for path in pyspark_jars()}
        jars = [jar for jar in jars if jar.artifact not in there]
    return sorted(jars, key=lambda jar: jar.filename)


def pyspark_jars() -> list[Path]:
    """The jars that PySpark brings, in a fixed order (a class-data archive depends on it)."""
    return sorted((spark_home() / "jars").glob("*.jar"))


def spark_home() -> Path:
    """The folder of the installed PySpark (a SPARK_HOME set for something else is not ours)."""
    from importlib.util import find_spec

    spec = find_spec("pyspark")
    if spec is None or spec.origin is None:
        raise SetupError("PySpark is not installed. Run make setup.")
    return Path(spec.origin).parent


def jar_folder(environment: str) -> Path:
    """Where an environment's jars are kept."""
    return cache_dir() / "jars" / environment


def jar_paths(environment: str) -> list[Path]:
    """An environment's jars, fetched if one is missing or was cut short since the set-up."""
    if missing_jars(environment):
        return fetch_jars(environment, say=_to_stderr_if_a_person_looks)
    return [jar_folder(environment) / jar.filename for jar in locked_jars(environment)]


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
    """Bring the environment's jars here and verify each one's SHA-256; good ones stay.

    Raises SetupError if one cannot be had, or never with the right hash.
    """
    jars = locked_jars(environment)
    folder = jar_folder(environment)
    folder.mkdir(parents=True, exist_ok=True)
    with file_lock(folder / ".lock"):
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
        names = {jar.filename for jar in jars}
        for path in folder.glob("*.jar"):
            if path.name not in names:
                path.unlink()  # an older version's: it must not reach the class path
        verified = {j.filename: [(folder / j.filename).stat().st_size, j.sha256] for j in jars}
        partial = folder / ".verified.part"
        partial.write_text(json.dumps(verified, indent=1))
        os.replace(partial, folder / "verified.json")
    return [folder / jar.filename for jar in jars]


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
    for _ in range(TRIES):
        incoming.unlink(missing_ok=True)  # the half of a download that was cut off
        try:
            context.resolver.download(artifact)
        except Exception as error:
            if isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT):
                raise SetupError(
                    f"There is no room left for {jar.filename} in {folder}. Make room there, or "
                    "name another folder in GRADER_CACHE. Then run make setup again."
                ) from error
            problem = str(error) or type(error).__name__
            continue
        found = sha256(incoming)
        if found == jar.sha256:
            os.replace(incoming, folder / jar.filename)
            return (folder / jar.filename).stat().st_size
        problem = f"its SHA-256 is {found}, the lock has {jar.sha256}"
        say(f"  {jar.filename} came damaged: fetching it again")
    incoming.unlink(missing_ok=True)
    raise SetupError(
        f"Could not fetch {jar.filename}: {problem}. Check the network; behind a company or "
        "school proxy set GRADER_MAVEN_MIRROR to its Maven mirror and REQUESTS_CA_BUNDLE to its "
        "certificates. Then run make setup again (jars already here are kept)."
    )


def _read_verified(folder: Path) -> dict[str, list[object]]:
    try:
        verified: dict[str, list[object]] = json.loads((folder / "verified.json").read_text())
    except (OSError, ValueError):
        return {}
    return verified


def _to_stderr_if_a_person_looks(line: str) -> None:
    if sys.stderr.isatty() or "ipykernel" in sys.modules:
        print(line, file=sys.stderr)
