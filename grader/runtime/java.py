"""Finding a Java that Spark and Kafka run on."""

import contextlib
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from grader.runtime.errors import SetupError
from grader.runtime.paths import cache_dir

SUPPORTED = (17, 21)

USUAL_PLACES = (
    "/usr/lib/jvm/*",
    "/usr/java/*",
    "/opt/java/*",
    "/Library/Java/JavaVirtualMachines/*/Contents/Home",
    "/opt/homebrew/opt/openjdk@*/libexec/openjdk.jdk/Contents/Home",
    "/usr/local/opt/openjdk@*/libexec/openjdk.jdk/Contents/Home",
)

MEND = (
    "install a JDK 17 or 21 (Debian and Ubuntu: sudo apt-get install openjdk-17-jre-headless; "
    "macOS: brew install openjdk@17; conda: conda install openjdk=17) "
    "or point JAVA_HOME at one, then run make setup again"
)


@dataclass(frozen=True)
class Java:
    """A Java installation: its folder and version, for example 17 and "17.0.15"."""

    home: Path
    major: int
    version: str

    @property
    def program(self) -> Path:
        """The java program itself."""
        return self.home / "bin" / "java"


def find_java(*, fetch: bool = False, say: Callable[[str], None] = print) -> Java:
    """A Java 17 or 21: JAVA_HOME, then PATH, then the usual places, then one cjdk has fetched.

    With fetch=True cjdk downloads one if there is none. Raises SetupError with the mend.
    """
    found = _installed()
    if found is None and fetch:
        found = _from_cjdk(say)
        _installed.cache_clear()
    if found is None:
        raise SetupError(f"No Java {_supported()} found{_seen()}. To mend it, {MEND}.")
    return found


def inspect(home: Path) -> Java | None:
    """The Java in this folder, or None if there is none that runs."""
    if not os.access(home / "bin" / "java", os.X_OK):
        return None
    release = home / "release"
    text = release.read_text(errors="replace") if release.is_file() else ""
    match = re.search(r'^JAVA_VERSION="([^"]+)"', text, re.MULTILINE)
    if match is None:
        match = re.search(r'version "([^"]+)"', _version_output(home / "bin" / "java"))
    if match is None:
        return None
    modules = re.search(r'^MODULES="([^"]*)"', text, re.MULTILINE)
    if modules and "jdk.incubator.vector" not in modules.group(1).split():
        return None  # a cut-down runtime on which Spark does not start
    version = match.group(1)
    numbers = version.removeprefix("1.").split(".")
    major = re.match(r"\d+", numbers[0])
    return Java(home, int(major.group()), version) if major else None


@lru_cache(maxsize=1)
def _installed() -> Java | None:
    for home in _candidates():
        java = inspect(home)
        if java is not None and java.major in SUPPORTED:
            return java
    return None


def _candidates() -> Iterator[Path]:
    if os.environ.get("JAVA_HOME"):
        yield Path(os.environ["JAVA_HOME"])
    on_path = shutil.which("java")
    if on_path:
        yield Path(on_path).resolve().parent.parent
    yield Path(sys.prefix) / "lib" / "jvm"
    for pattern in USUAL_PLACES:
        yield from sorted(Path("/").glob(pattern.lstrip("/")))
    yield from sorted((Path.home() / ".sdkman" / "candidates" / "java").glob("*"))
    with contextlib.suppress(OSError):
        yield Path(_fetched_note().read_text())


def _from_cjdk(say: Callable[[str], None]) -> Java | None:
    """Fetch a JDK 17 and remember where it is: asking cjdk again may need the network."""
    say(f"No Java {_supported()} on this machine: fetching a JDK 17 (about 190 MB)")
    try:
        import cjdk

        home = Path(cjdk.java_home(vendor="temurin", version="17"))
    except Exception as error:  # cjdk's own, requests', the file system's
        say(f"  could not fetch one: {error}")
        return None
    _fetched_note().write_text(str(home))
    return inspect(home)


def _fetched_note() -> Path:
    return cache_dir() / "fetched-jdk"


def _seen() -> str:
    others = {j.version: j.home for home in _candidates() if (j := inspect(home)) is not None}
    return "".join(f"; Java {version} is in {home}" for version, home in others.items())


def _supported() -> str:
    return " or ".join(str(major) for major in SUPPORTED)


def _version_output(program: Path) -> str:
    try:
        done = subprocess.run([program, "-version"], capture_output=True, text=True, timeout=20)
    except (OSError, subprocess.SubprocessError):
        return ""
    return done.stderr + done.stdout
