"""A project of one small lesson, and the command in its folder."""

import shutil
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from testkit.grader_command import Ran, run_command


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The sample project; it is the current folder."""
    shutil.copytree(Path(__file__).parent / "sample", tmp_path / "project")
    monkeypatch.chdir(tmp_path / "project")
    return tmp_path / "project"


@pytest.fixture
def grader(project: Path, capsys: pytest.CaptureFixture[str]) -> Callable[..., Ran]:
    """Runs the command in the project's folder."""
    return partial(run_command, capsys)
