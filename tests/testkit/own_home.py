"""A person with an empty home and a virtual environment of their own, in which a release is installed."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from testkit.installed_wheel import PATH, Installed
from testkit.terminal_lab import Lab

# what a machine says of its network and its sandboxes; all else of a person's environment is left out
OF_THE_MACHINE = re.compile(
    r"PIP_|NPM_CONFIG_REGISTRY|NODE_EXTRA_CA_CERTS|GRADER_(MAVEN_MIRROR|SANDBOX)$|SSL_CERT|.*_CA_BUNDLE$|.*_proxy$",
    re.IGNORECASE,
)
FIRST_START = 900  # seconds: it fetches jars and makes start-up caches


@dataclass(frozen=True)
class Person:
    """Who uses a release: nothing of it is in their home before."""

    home: Path
    installed: Installed
    environment: dict[str, str]

    @classmethod
    def in_folder(cls, folder: Path, **environment: str) -> Person:
        """Make the home and the virtual environment; `environment` comes on top of the machine's own."""
        home, packages = folder / "home", folder / "environment"
        home.mkdir(parents=True)
        subprocess.run([sys.executable, "-m", "venv", str(packages)], check=True)
        of_machine = {name: x for name, x in os.environ.items() if OF_THE_MACHINE.match(name)}
        own = {"HOME": str(home), "PIP_CACHE_DIR": pip_cache(), **environment}
        return cls(home, Installed(packages), {**of_machine, **own})

    def install(self, lock: Path, wheel: Path) -> None:
        """Install the packages of a lock and the wheel, as a first time and as an upgrade."""
        self.run("pip", "install", "--quiet", "--use-pep517", "--require-hashes", "-r", str(lock))
        options = (
            "--no-deps",
            "--no-index",
            "--force-reinstall",
        )  # a rebuilt wheel has the same version
        self.run("pip", "install", "--quiet", *options, str(wheel))

    def run(self, *words: str, cwd: Path | None = None, typed: str = "", code: int = 0) -> str:
        """What a program of the environment prints; it must end with this exit code."""
        ran = self.installed.run(*words, cwd=cwd or self.home, typed=typed, **self.environment)
        assert ran.returncode == code, f"{words}\n{ran.stdout}\n{ran.stderr}"
        return ran.stdout

    def start_and_stop_the_lab(self) -> str:
        """Run `stateful-streams` in the home until JupyterLab is up, then Ctrl-C; what it said."""
        lab = Lab(
            *(self.installed.program("stateful-streams"), "lab", "--no-browser"),
            cwd=self.home,
            environment={"PATH": PATH, **self.environment},
        )
        try:
            lab.read_until(r"JupyterLab +http://\S+/\?token=\w+", FIRST_START)
            lab.press_ctrl_c()
        finally:
            lab.end()
        return lab.said


@cache
def pip_cache() -> str:
    """Where pip keeps packages on this machine: an empty home need not fetch them again."""
    program = [sys.executable, "-m", "pip", "cache", "dir"]
    return subprocess.run(program, check=True, capture_output=True, text=True).stdout.strip()
