"""What the students' zip holds besides the project if it must work without a network: `--offline`.

The packages are those of requirements.lock, for this Python and this kind of machine; pip checks the hash
of each. A package that the lock has only as source is built here, once, so that students do not have to
build it. The hashes of what is in the zip are in offline/requirements.lock.
"""

from __future__ import annotations

import platform
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from packaging.utils import parse_wheel_filename

from grader.connectors.node_packages import package_file
from grader.errors import SetupError
from grader.runtime.jars import ENVIRONMENTS, fetch_jars, sha256

PIP = (sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet")
# the lock's own setuptools, which is installed here, builds what has to be built
BUILD = ("--no-deps", "--use-pep517", "--no-build-isolation")
TOP = "offline"
MADE_FOR = "made-for"  # the Makefile compares it with the machine

Say = Callable[[str], None]


def gather(lock: Path, scratch: Path, say: Say = print) -> dict[str, Path]:
    """Fetch packages and downloads; path in the zip → file. `scratch` is an empty folder for them.

    Raises SetupError if something cannot be downloaded, or has not the hash of its lock.
    """
    say("Fetching the locked Python packages (about 800 MB)")
    wheels = scratch / "wheels"
    _pip("download", *BUILD, "--require-hashes", "--dest", str(wheels), "--requirement", str(lock))
    for source in sorted(path for path in wheels.iterdir() if path.suffix != ".whl"):
        say(f"Building {source.name}")
        _pip("wheel", *BUILD, "--no-index", "--wheel-dir", str(wheels), str(source))
        source.unlink()
    (scratch / lock.name).write_text(_lock_of(wheels), encoding="utf-8")
    (scratch / MADE_FOR).write_text(made_for() + "\n", encoding="utf-8")
    found = {path.relative_to(scratch).as_posix(): path for path in scratch.rglob("*")}
    for environment in ENVIRONMENTS:
        for jar in fetch_jars(environment, say=say):
            found[f"jars/{environment}/{jar.name}"] = jar
    packages = package_file("", say=say).parent
    for path in packages.rglob("*"):
        found[f"npm/{packages.name}/{path.relative_to(packages).as_posix()}"] = path
    files = {name: x for name, x in found.items() if x.is_file() and not x.is_symlink()}
    return {f"{TOP}/{name}": path for name, path in sorted(files.items())}


def made_for() -> str:
    """The kind of machine that packages fit: Python, system, processor."""
    python = ".".join(platform.python_version_tuple()[:2])
    return f"Python {python} on {platform.system()} {platform.machine()}"


def _lock_of(wheels: Path) -> str:
    lines = []
    for wheel in sorted(wheels.iterdir()):
        name, version, *_ = parse_wheel_filename(wheel.name)
        lines.append(f"{name}=={version} --hash=sha256:{sha256(wheel)}\n")
    return "".join(lines)


def _pip(*words: str) -> None:
    done = subprocess.run([*PIP, *words], capture_output=True, text=True)
    if done.returncode != 0:
        tail = "\n".join((done.stderr or done.stdout).strip().splitlines()[-5:])
        raise SetupError(
            f"pip could not bring the packages:\n{tail}\nCheck the network, and that this is the "
            "Python that make setup made: .venv/bin/grader bundle …"
        )
