"""nbgrader's grade book learns of a lesson from the notebook that students get."""

from __future__ import annotations

import logging
from typing import Any

import nbformat
from nbgrader.preprocessors import SaveCells
from traitlets.config import Config

from grader.classroom.course import Course
from grader.errors import SetupError

FIX = (
    "Grade with the version of course/ that was handed out, or begin another grade book "
    "(c.CourseDirectory.db_url in nbgrader_config.py)."
)


class FillGradebook:
    """nbgrader's pre-convert hook: makes sure that the grade book knows the assignment.

    So `nbgrader autograde` works in a fresh clone: the released notebooks have all that the grade
    book needs (cells, points, checksums). Does it once a run.
    """

    def __init__(self, **directory: str):
        self._config = Config(CourseDirectory=Config(directory))
        self._done: set[tuple[str, str]] = set()

    def __call__(self, assignment: str, student: str, notebooks: list[str]) -> None:
        course = Course.running(self._config)
        if (course.db_url, assignment) not in self._done:
            try:
                enrol(course, assignment)
            except SetupError as error:
                logging.getLogger("traitlets").error("%s", error)  # as nbgrader's commands say
            self._done.add((course.db_url, assignment))

    def __deepcopy__(self, memo: Any) -> FillGradebook:
        return self  # nbgrader makes a copy of its settings for every converter


def enrol(course: Course, lesson: str) -> None:
    """Write the cells and points of a lesson's notebook to the grade book, or update them.

    Raises SetupError if there is no such lesson, or the grade book has grades for other cells.
    """
    path = course.notebook(lesson)
    if not path.is_file():
        raise SetupError(
            f"There is no lesson {lesson} in {path.parents[1]}: name one of its folders, or make them "
            "with `grader build`."
        )
    with course.book() as book:
        known = book.update_or_create_assignment(lesson)
        for notebook in list(known.notebooks):  # one that was next to it when the book was filled
            if notebook.name != lesson and not notebook.submissions:
                book.remove_notebook(notebook.name, lesson)
    about = {"notebook": lesson, "assignment": lesson, "db_url": course.db_url}
    try:
        SaveCells().preprocess(nbformat.read(path, as_version=4), {"nbgrader": about})
    except RuntimeError as error:  # cells came or went since others were graded
        raise SetupError(
            f"{lesson} has other exercises than when {course.db_url} was filled. {FIX} "
            f"(nbgrader: {error})"
        ) from error
