"""A project of one small lesson."""

import shutil
from pathlib import Path

import pytest


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The sample project; it is the current folder."""
    shutil.copytree(Path(__file__).parent / "sample", tmp_path / "project")
    monkeypatch.chdir(tmp_path / "project")
    return tmp_path / "project"
