"""A teacher's clone of a small course."""

import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from testkit.counting_lesson import SOLUTIONS

PROJECT = Path(__file__).resolve().parents[2]
SECRET = (
    "a secret of the tests 1\n"  # its hidden events have bags in them, and none of the public rows
)


@pytest.fixture(scope="module")
def project(built: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A teacher's clone: course/, solutions/ and nbgrader_config.py, no grade book yet."""
    root = tmp_path_factory.mktemp("project")
    shutil.copytree(built.parent, root / "course")
    shutil.copytree(SOLUTIONS, root / "solutions")
    shutil.copy(PROJECT / "nbgrader_config.py", root)
    (root / "grading").mkdir()
    (root / "grading" / "secret").write_text(SECRET)
    return root


@pytest.fixture
def nbgrader() -> Callable[..., "subprocess.CompletedProcess[str]"]:
    """Run nbgrader's own command line in a project."""

    def run(root: Path, *words: str, ok: bool = True) -> "subprocess.CompletedProcess[str]":
        done = subprocess.run(
            [sys.executable, "-m", "nbgrader", *words], cwd=root, capture_output=True, text=True
        )
        assert (done.returncode == 0) is ok, done.stdout + done.stderr
        return done

    return run
