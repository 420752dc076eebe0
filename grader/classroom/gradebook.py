"""nbgrader's grade book learns of a lesson from the notebook that students get."""

from __future__ import annotations

import logging
import warnings
from typing import Any

import nbformat
from nbgrader.api import Gradebook
from nbgrader.coursedir import CourseDirectory
from nbgrader.preprocessors import SaveCells
from sqlalchemy.exc import SAWarning
from traitlets.config import Application, Config

from grader.classroom.course_settings import course_of, lesson_notebook, released
from grader.errors import SetupError
from grader.runtime.paths import own_commands_first

own_commands_first()  # nbgrader calls alembic by its name
# nbgrader's own models against this SQLAlchemy; nobody who grades can do anything about it
warnings.filterwarnings("ignore", category=SAWarning, module=r"nbgrader\.api")
FIX = (
    "Grade with the version of course/ that was handed out, or begin another grade book "
    "(c.CourseDirectory.db_url in nbgrader_config.py)."
)


class FillGradebook:
    """nbgrader's pre-convert hook: makes sure that the grade book knows the assignment.

    So `nbgrader autograde` works in a fresh clone: all that the grade book needs (cells, points,
    checksums) stands in the released notebooks. Does it once a run.
    """

    def __init__(self, **directory: str):
        self._config = Config(CourseDirectory=Config(directory))
        self._done: set[tuple[str, str]] = set()

    def __call__(self, assignment: str, student: str, notebooks: list[str]) -> None:
        course = course_directory(self._config)
        if (course.db_url, assignment) not in self._done:
            try:
                enrol(course, assignment)
            except SetupError as error:
                logging.getLogger("traitlets").error("%s", error)  # as nbgrader's commands tell
            self._done.add((course.db_url, assignment))

    def __deepcopy__(self, memo: Any) -> FillGradebook:
        return self  # nbgrader makes a copy of its settings for every converter


def course_directory(config: Config) -> CourseDirectory:
    """Where folders and grade book are: as the running command sees it, else by the settings."""
    running = Application.instance() if Application.initialized() else None
    if isinstance(getattr(running, "coursedir", None), CourseDirectory):
        return running.coursedir  # type: ignore[union-attr]
    return course_of(config)


def enrol(course: CourseDirectory, assignment: str) -> None:
    """Write the cells and points of a lesson's notebooks to the grade book, or update them.

    Raises SetupError where there is no such lesson, or the grade book has grades for other cells.
    """
    folder = released(course, assignment)
    path = lesson_notebook(folder)
    if path is None:
        raise SetupError(
            f"There is no lesson {assignment} in {folder.parent}: name one of its folders, or make them "
            "with `grader build`."
        )
    with Gradebook(course.db_url, course.course_id) as book:
        known = book.update_or_create_assignment(assignment)
        for notebook in list(known.notebooks):  # one that lay beside it when the book was filled
            if notebook.name != assignment and not notebook.submissions:
                book.remove_notebook(notebook.name, assignment)
    about = {"notebook": assignment, "assignment": assignment, "db_url": course.db_url}
    try:
        SaveCells().preprocess(nbformat.read(path, as_version=4), {"nbgrader": about})
    except RuntimeError as error:  # cells came or went since others were graded
        raise SetupError(
            f"{assignment} has other exercises than when {course.db_url} was filled. {FIX} "
            f"(nbgrader: {error})"
        ) from error
