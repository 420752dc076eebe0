"""A lab of a test's own."""

import contextlib

import psutil
import pytest

from testkit.lab_processes import processes_of


@pytest.fixture
def state(tmp_path, monkeypatch):
    """A lab of the test's own: nothing of it may be left when the test ends."""
    folder = tmp_path / "state"
    folder.mkdir()
    monkeypatch.setenv("GRADER_STATE", str(folder))
    monkeypatch.delenv("GRADER_KAFKA", raising=False)
    monkeypatch.delenv("GRADER_SPARK_MASTER", raising=False)
    yield folder
    for process in processes_of(folder):
        with contextlib.suppress(psutil.NoSuchProcess):  # it ended by itself just now
            process.kill()
