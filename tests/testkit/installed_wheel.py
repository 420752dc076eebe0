"""The wheel of this tree, and an environment in which it is installed: nothing there leads to the clone."""

import subprocess
import sys
import sysconfig
import venv
from dataclasses import dataclass
from pathlib import Path

import pytest

from testkit.lab_processes import ROOT


@dataclass(frozen=True)
class Installed:
    """A virtual environment with the wheel, and the other packages of the environment that runs the tests."""

    folder: Path

    def run(self, *words: str, cwd: Path, **environment: str) -> "subprocess.CompletedProcess[str]":
        """Run one of its programs in a folder and with no other variables than these."""
        program = self.folder / "bin" / words[0]
        return subprocess.run(
            [str(program), *words[1:]],
            cwd=cwd,
            env={"PATH": "/usr/bin:/bin", "PYTHONDONTWRITEBYTECODE": "1", **environment},
            capture_output=True,
            text=True,
        )


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, made by the build backend that pyproject.toml names."""
    out = tmp_path_factory.mktemp("dist")
    build = [
        sys.executable,
        "-m",
        "hatchling",
        "build",
        "--target",
        "wheel",
        "--directory",
        str(out),
    ]
    subprocess.run(build, cwd=ROOT, check=True, capture_output=True)
    (made,) = out.glob("*.whl")
    return made


@pytest.fixture(scope="session")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Installed:
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
