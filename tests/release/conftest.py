"""The release in build/release, and people who install it: `make try-release`."""

from __future__ import annotations

from pathlib import Path

import pytest
from testkit.lab_processes import ROOT
from testkit.own_home import Person

from grader.authoring.lesson_source import LessonSource, read_lessons
from grader.authoring.release.release_files import OUT

LESSON = "00"


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave the trial out unless it is named: it needs a release in build/release and many minutes."""
    if "release" in (config.option.markexpr or "").replace("not release", ""):
        return
    left_out = [item for item in items if item.get_closest_marker("release")]
    config.hook.pytest_deselected(items=left_out)
    items[:] = [item for item in items if not item.get_closest_marker("release")]


@pytest.fixture(scope="session")
def release() -> Path:
    assert (ROOT / OUT).is_dir(), f"There is no release in {OUT}. Fix: make release"
    return ROOT / OUT


@pytest.fixture(scope="session")
def lesson() -> LessonSource:
    (found,) = (one for one in read_lessons(ROOT / "solutions") if one.id == LESSON)
    return found


@pytest.fixture(scope="session")
def learner(release: Path, tmp_path_factory: pytest.TempPathFactory) -> Person:
    """A person who installs this release as their first one."""
    person = Person.in_folder(tmp_path_factory.mktemp("learner"))
    (wheel,) = release.glob("*.whl")
    person.install(ROOT / "requirements.lock", wheel)
    return person
