"""The one writer of grades: scores, comments and penalties to nbgrader's grade book, pages to its autograded folder.

In `grader grade` a GradeWriter writes every grading, the first and later ones. It writes only from the main
thread, under the lock of the class. For `nbgrader autograde` and Formgrader's button, nbgrader's converter calls
the same preprocessors in its own process. Between processes SQLite's own lock decides.
"""

from __future__ import annotations

import copy
import logging
import os
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import nbformat
from nbconvert.exporters import NotebookExporter
from nbformat import NotebookNode
from nbgrader.api import Gradebook, MissingEntry, SubmittedAssignment
from nbgrader.converters import Autograde
from nbgrader.coursedir import CourseDirectory
from nbgrader.preprocessors import AssignLatePenalties

from grader.classroom.course import RECORD, Course
from grader.classroom.gradebook import FIX
from grader.classroom.notebook_outputs import show_run
from grader.classroom.submission_exporter import SubmissionExporter
from grader.classroom.submission_result import NO_TIME, WAITS
from grader.classroom.submissions import Submission
from grader.errors import SetupError
from grader.judging.verdict import Verdict
from grader.sandbox.notebook_cells import grade_id
from grader.sandbox.observed_run import ExerciseCheck, ObservedRun

STAGING = "staging"  # where a page is made, next to the journal
PENALTIES = f"nbgrader.preprocessors.{AssignLatePenalties.__name__}"


@dataclass
class Entry:
    """A submission that the grade book knows, without new grades yet, and what decides on it.

    `notebook` is fit to be run, with the files beside it in `folder`; `resources` are nbgrader's.
    """

    submission: Submission
    checks: list[ExerciseCheck]
    notebook: NotebookNode
    folder: Path
    resources: dict[str, Any]


class GradeWriter:
    """Writes submissions of one lesson as nbgrader's converter does, by the preprocessors of its settings."""

    def __init__(self, course: Course, lesson: str, log: logging.Logger):
        self._course = course
        self._lesson = lesson
        self._staging = course.grading / STAGING
        own = copy.deepcopy(course.config)
        own.CourseDirectory.autograded_directory = str(self._staging)
        own.CourseDirectory.assignment_id = lesson
        # files, permissions and hooks are its own; it converts nothing
        self._nbgrader = Autograde(coursedir=CourseDirectory(config=own), config=own, log=log)
        names = list(self._nbgrader.autograde_preprocessors)
        record = names.index(RECORD)
        self._sanitizer = SubmissionExporter(parent=self._nbgrader, config=self._nbgrader.config)
        self._grader = NotebookExporter(parent=self._nbgrader, config=self._nbgrader.config)
        for name in (*self._nbgrader.sanitize_preprocessors, *names[:record]):
            self._sanitizer.register_preprocessor(name)
        for name in names[record + 1 :]:
            self._grader.register_preprocessor(name)

    def enter(self, submission: Submission, checks: list[ExerciseCheck]) -> Entry:
        """Let the grade book know a submission and when it was handed in; sanitize its notebook."""
        path = submission.folder / f"{self._lesson}.ipynb"
        folder = self._staging / submission.student / self._lesson
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        self._nbgrader.coursedir.student_id = submission.student
        self._nbgrader.notebooks = [str(path)]
        self._nbgrader.init_assignment(self._lesson, submission.student)
        about = {"student": submission.student, "db_url": self._course.db_url}
        about |= {"assignment": self._lesson, "notebook": self._lesson}
        text, _ = self._sanitizer.from_filename(str(path), {"nbgrader": about})
        notebook = nbformat.reads(text, as_version=4)
        return Entry(submission, checks, notebook, folder, {"nbgrader": about})

    def write(self, entry: Entry, run: ObservedRun) -> list[str]:
        """Write what a run of an entry came to; why a person should look, as the grade book has it.

        Its page takes the place of the one that was there at once.
        """
        student, page = entry.submission.student, entry.folder / f"{self._lesson}.ipynb"
        before = self._course.page(student, self._lesson)
        about = entry.resources["nbgrader"]
        about["verdicts"] = show_run(entry.notebook, entry.checks, run)
        with self._course.book() as book:
            about["settled"] = _settled(book, entry, before)
        entry.resources["metadata"] = {"name": self._lesson, "path": str(entry.folder)}
        text, _ = self._grader.from_notebook_node(entry.notebook, entry.resources)
        page.write_text(text, encoding="utf-8")
        self._nbgrader.set_permissions(self._lesson, student)
        self._nbgrader.run_post_convert_hook()
        with self._course.book() as book:
            current = current_reasons(book.find_submission(self._lesson, student))
        _replace(before.parent, entry.folder)
        return current


def write_scores(
    db_url: str, notebook: str, lesson: str, student: str, verdicts: Mapping[str, Verdict]
) -> None:
    """Write the scores of a student's check cells, by the cells' names; SetupError for an unknown cell."""
    with Gradebook(db_url) as book:
        for cell, verdict in verdicts.items():
            try:
                grade = book.find_grade(cell, notebook, lesson, student)
            except MissingEntry as error:
                raise SetupError(
                    f"The grade book does not know the cell {cell!r}: it was filled from another version of "
                    f"course/. {FIX}"
                ) from error
            grade.auto_score = min(verdict.score, grade.max_score)
            # as nbgrader: a score that a person gave is looked at again
            grade.needs_manual_grade = grade.manual_score is not None
        book.db.commit()


def assign_late_penalties(course: Course, lesson: str) -> None:
    """Assign the penalties of a lesson's late submissions again, if nbgrader_config.py lets nbgrader do so.

    Due date, extensions and grades by hand are only in the grade book, and change between two gradings.
    """
    if PENALTIES not in course.config.Autograde.autograde_preprocessors:
        return
    with course.book() as book:
        late = [
            {"notebook": notebook.name, "assignment": lesson, "student": submission.student_id}
            for submission in book.assignment_submissions(lesson)
            for notebook in submission.notebooks
            if submission.total_seconds_late or notebook.late_submission_penalty
        ]
    penalties = AssignLatePenalties(config=course.config)
    for one in late:
        resources = {"nbgrader": {**one, "db_url": course.db_url}}
        penalties.preprocess(nbformat.v4.new_notebook(), resources)


def students_in_book(course: Course, lesson: str) -> dict[str, list[str]]:
    """The students with a submission for a lesson in the grade book, and why a person should look at it now."""
    with course.book() as book:
        submissions = book.assignment_submissions(lesson)
        return {found.student_id: current_reasons(found) for found in submissions}


def current_reasons(found: SubmittedAssignment) -> list[str]:
    """The cells of a submission that wait for a person's grade; and a due date if the time handed in is unknown."""
    waiting = sorted(grade.name for grade in _grades(found) if grade.needs_manual_grade)
    untimed = [NO_TIME] if found.timestamp is None and found.duedate is not None else []
    return [f"{cell} {WAITS}" for cell in waiting] + untimed


def _grades(found: SubmittedAssignment) -> list[Any]:
    return [grade for notebook in found.notebooks for grade in notebook.grades]


def _settled(book: Gradebook, entry: Entry, page: Path) -> set[str]:
    """The cells that a person has graded for good, and that are as they were on the page then."""
    if not page.is_file():
        return set()
    before, now = _sources(nbformat.read(page, as_version=4)), _sources(entry.notebook)
    found = book.find_submission(entry.submission.lesson, entry.submission.student)
    return {
        grade.name
        for grade in _grades(found)
        if grade.manual_score is not None and not grade.needs_manual_grade
        if before.get(grade.name) == now.get(grade.name)
    }


def _sources(notebook: NotebookNode) -> dict[str | None, str]:
    return {grade_id(cell): cell.source for cell in notebook.cells}


def _replace(place: Path, new: Path) -> None:
    """Replace what was there by the folder of a graded submission."""
    place.parent.mkdir(parents=True, exist_ok=True)
    if place.exists():
        shutil.rmtree(place)
    os.replace(new, place)
