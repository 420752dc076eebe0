"""A small course for tests: one lesson with exercises, built like the real one."""

import shutil
from pathlib import Path

import pytest

from grader.authoring.course_build import build, student_notebooks
from grader.authoring.lesson_source import read_lessons
from grader.authoring.play_store import KeptPlays
from grader.authoring.proof import Bench

SOLUTIONS = Path(__file__).parent / "counting_course" / "solutions"
LESSON = "90_counting"


@pytest.fixture(scope="session")
def released(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The lesson's notebook as students get it (made without Spark)."""
    folder = tmp_path_factory.mktemp("released") / LESSON
    with student_notebooks(read_lessons(SOLUTIONS)) as generated:
        shutil.copytree(generated / LESSON, folder)
    return folder / f"{LESSON}.ipynb"


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory, bench: Bench) -> Path:
    """The lesson's folder in a course/ with its check pack; plays the solutions if none has yet."""
    course = tmp_path_factory.mktemp("built") / "course"
    build(read_lessons(SOLUTIONS), course, KeptPlays(lambda: bench, None))
    return course / LESSON
