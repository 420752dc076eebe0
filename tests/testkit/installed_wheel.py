"""The wheel of this tree, and an environment in which it is installed: nothing there leads to the clone."""

import subprocess
import sysconfig
import venv
from dataclasses import dataclass
from pathlib import Path

import pytest

from grader.authoring.release.packages import build_packages
from testkit.lab_processes import ROOT

PATH = "/usr/bin:/bin"
YEAR_2026 = 1767225600  # in seconds: the time of the files in the wheel


@dataclass(frozen=True)
class Installed:
    """A virtual environment with the wheel."""

    folder: Path

    def run(
        self, *words: str, cwd: Path, typed: str = "", **environment: str
    ) -> "subprocess.CompletedProcess[str]":
        """Run one of its programs in a folder and with no other variables than these."""
        return subprocess.run(
            [self.program(words[0]), *words[1:]],
            cwd=cwd,
            env={"PATH": PATH, "PYTHONDONTWRITEBYTECODE": "1", **environment},
            input=typed,
            capture_output=True,
            text=True,
        )

    def program(self, name: str) -> str:
        return str(self.folder / "bin" / name)


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, made by the build backend that pyproject.toml names."""
    out = tmp_path_factory.mktemp("dist")
    (made,) = build_packages(ROOT, out, YEAR_2026, "wheel")
    return made


@pytest.fixture(scope="session")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Installed:
    """The wheel with the other packages of the environment that runs the tests."""
    folder = tmp_path_factory.mktemp("installed")
    python = environment_without_course(folder)
    pip = [str(python), "-m", "pip", "--quiet", "--disable-pip-version-check"]
    options = ["--no-deps", "--no-index", "--force-reinstall"]  # the clone's counts as installed
    subprocess.run([*pip, "install", *options, str(wheel)], check=True)
    return Installed(folder)


def environment_without_course(folder: Path) -> Path:
    """Make a virtual environment that sees the packages of this one, but not the clone; its Python."""
    venv.create(folder, symlinks=True, with_pip=False)
    paths = sysconfig.get_paths(vars={"base": str(folder), "platbase": str(folder)})
    # a path in a .pth file is not searched for .pth files, and the clone is in one
    Path(paths["purelib"], "others.pth").write_text(sysconfig.get_paths()["purelib"] + "\n")
    return folder / "bin" / "python"
