"""A small course of its own for these tests: a lesson with two exercises, built like the real one."""

import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from grader.authoring.course_build import build, student_notebooks
from grader.authoring.lesson_source import read_lessons
from grader.authoring.play_store import KeptPlays
from grader.authoring.proof import Bench

FIXTURES = Path(__file__).parent / "fixtures"
PROJECT = Path(__file__).resolve().parents[2]
LESSON = "90_counting"
SECRET = (
    "a secret of the tests 1\n"  # its hidden events have bags in them, and none of the public rows
)


@pytest.fixture(scope="session")
def released(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The lesson's notebook as students get it (made without Spark)."""
    folder = tmp_path_factory.mktemp("released") / LESSON
    with student_notebooks(read_lessons(FIXTURES / "solutions")) as generated:
        shutil.copytree(generated / LESSON, folder)
    return folder / f"{LESSON}.ipynb"


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory, bench: Bench) -> Path:
    """The lesson's folder in a course/ with its check pack; plays the solutions if none has yet."""
    course = tmp_path_factory.mktemp("built") / "course"
    lessons = read_lessons(FIXTURES / "solutions")
    build(lessons, course, KeptPlays(lambda: bench, None))
    return course / LESSON


@pytest.fixture(scope="module")
def project(built: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A teacher's clone: course/, solutions/ and nbgrader_config.py, no grade book yet."""
    root = tmp_path_factory.mktemp("project")
    shutil.copytree(built.parent, root / "course")
    shutil.copytree(FIXTURES / "solutions", root / "solutions")
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
