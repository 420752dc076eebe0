"""One submission into nbgrader's grade book and its autograded folder, by nbgrader's own converter.

Several threads may do so: each holds the lock on the book but while a submission's code runs.
"""

from __future__ import annotations

import copy
import errno
import logging
import os
import shutil
import sys
import threading
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from nbformat import NotebookNode
from nbgrader.api import Gradebook, SubmittedAssignment
from nbgrader.converters import Autograde
from nbgrader.converters.base import NbGraderException
from nbgrader.coursedir import CourseDirectory
from sqlalchemy.exc import SAWarning
from traitlets.config import Config, PyFileConfigLoader

from grader.classroom.gradebook import enrol, grading_folder
from grader.classroom.preprocessors import Grade, Record, Resources
from grader.classroom.submissions import Submission
from grader.errors import SetupError
from grader.judging.verdict import Verdict
from grader.sandbox.noted_predictions import Predicted
from grader.sandbox.observed_run import Checked, Wanted
from grader.sandbox.sandbox_kinds import named_kind

CONFIG = "nbgrader_config.py"
NO_ROOM = (errno.EDQUOT, errno.ENOSPC, errno.EROFS)
STAGING = "staging"  # where a page is made, beside the journal
# nbgrader's own models against this SQLAlchemy; nobody who grades can do anything about it
warnings.filterwarnings("ignore", category=SAWarning, module=r"nbgrader\.api")
_RECORD, _GRADE = (f"{kind.__module__}.{kind.__name__}" for kind in (Record, Grade))
_lock = threading.Lock()  # nbgrader's converters change folder and environment of the whole process
_now = threading.local()  # what this thread's converter is at


class CannotGradeError(Exception):
    """A submission that no verdict can be given on; the message is for the person who looks at it."""


@dataclass
class Written:
    """What the grade book was told: the verdicts, what waits for a person there, how it came about.

    `waiting` are names of cells. `ran` says whether the submission's code ran for it, `seconds` how long.
    `predicted` is what it answered before running, where that is known.
    """

    verdicts: list[Verdict] = field(default_factory=list)
    waiting: list[str] = field(default_factory=list)
    ran: bool = False
    seconds: float = 0.0
    predicted: Predicted | None = None


# a notebook, what is to be found out, its folder, seconds that a cell may take
Run = Callable[[NotebookNode, list[Wanted], Path, float], Checked]


@dataclass
class _At:
    run: Run
    verdicts: list[Verdict] = field(default_factory=list)
    ran: bool = False  # as in Written, from here on
    seconds: float = 0.0
    predicted: Predicted | None = None
    error: Exception | None = None


def read_config(root: Path, submitted: Path) -> Config:
    """nbgrader_config.py of a course, with the folder of this class.

    Raises SetupError where there is none, or where it lets submissions run unjudged.
    """
    if not (root / CONFIG).is_file():
        raise SetupError(
            f"There is no {CONFIG} in {root}: grade in the project's folder, which has one."
        )
    config = PyFileConfigLoader(CONFIG, path=str(root)).load_config()
    names = list(config.Autograde.get("autograde_preprocessors", []))
    if _RECORD not in names or _GRADE not in names:
        raise SetupError(
            f"c.Autograde.autograde_preprocessors in {root / CONFIG} lacks {_RECORD} or {_GRADE}: without "
            "them submissions run outside of any sandbox and nobody judges. Put them back."
        )
    config.Autograde.autograde_preprocessors = [
        RecordAmongOthers if name == _RECORD else name for name in names
    ]
    config.Autograde.pre_convert_hook = None  # `prepare` does it once
    config.CourseDirectory.root = str(root)
    config.CourseDirectory.submitted_directory = str(submitted)
    return config


def course_of(config: Config) -> CourseDirectory:
    return CourseDirectory(config=config)


def prepare(config: Config, lesson: str) -> None:
    """Let the grade book know a lesson's cells and points."""
    with _lock:
        enrol(course_of(config), lesson)


def grade_one(config: Config, submission: Submission, log: logging.Logger, run: Run) -> Written:
    """Grade one submission as `nbgrader autograde` does; its autograded folder is replaced at once.

    `run` runs its notebook, outside of the lock.
    Raises CannotGradeError if nbgrader or the supervisor cannot, SetupError if the lab cannot.
    """
    course = course_of(config)
    staging = grading_folder(course) / STAGING
    own = copy.deepcopy(config)
    own.CourseDirectory.student_id = submission.student
    own.CourseDirectory.assignment_id = submission.lesson
    own.CourseDirectory.autograded_directory = str(staging)
    _now.at = at = _At(run)
    with _lock, _errors_of(log) as errors:
        autograde = Autograde(coursedir=course_of(own), config=own, log=log)
        autograde.force = True
        try:
            autograde.start()
        except NbGraderException as error:
            if isinstance(at.error, SetupError):
                raise at.error from error
            if isinstance(at.error, OSError) and at.error.errno in NO_ROOM:
                raise SetupError(
                    f"What came of a run could not be kept: {at.error.strerror}. Make room where "
                    f"{staging.parent} is, and type it again: what is graded stays so."
                ) from error
            raise CannotGradeError(errors[0] if errors else str(error)) from error
        graded = Path(course.format_path(str(staging), submission.student, submission.lesson))
        _put(graded, course, submission)
        with Gradebook(course.db_url, course.course_id) as book:
            waiting = waiting_cells(book, submission)
    return Written(at.verdicts, waiting, at.ran, at.seconds, at.predicted)


def autograded_folder(course: CourseDirectory, submission: Submission) -> Path:
    return Path(
        course.format_path(course.autograded_directory, submission.student, submission.lesson)
    )


class RecordAmongOthers(Record):
    """Record in a thread of several: the grade book is the others' while a submission's code runs."""

    def preprocess(self, nb: NotebookNode, resources: Resources) -> tuple[NotebookNode, Resources]:
        try:
            nb, resources = super().preprocess(nb, resources)
        except Exception as error:
            _now.at.error = error
            raise
        about = resources["nbgrader"]
        _now.at.verdicts += about["verdicts"].values()
        _now.at.ran = _now.at.ran or about["ran"]
        if about["predicted"] is not None:
            _now.at.predicted = {**(_now.at.predicted or {}), **about["predicted"]}
        return nb, resources

    def kind(self) -> str:
        return named_kind(self.sandbox, otherwise="auto")  # whoever runs it has looked

    def run(
        self, nb: NotebookNode, wanted: list[Wanted], folder: Path, kind: str, student: str
    ) -> Checked:
        with _let_others():
            checked = _now.at.run(nb, wanted, folder, self.cell_seconds)
        _now.at.seconds += checked.seconds
        return checked


@contextmanager
def _let_others() -> Iterator[None]:
    _lock.release()
    try:
        yield
    finally:
        _lock.acquire()
        # nbgrader takes it away when any of its converters ends, and fails where it is gone already
        os.environ["NBGRADER_EXECUTION"] = "autograde"


@contextmanager
def _errors_of(log: logging.Logger) -> Iterator[list[str]]:
    """What the errors that this thread logs say, each in its first line."""
    said: list[str] = []
    thread = threading.get_ident()

    class Ears(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            text = record.getMessage().strip()
            error = sys.exc_info()[1]  # nbgrader logs it where it catches it
            if record.thread == thread and text.startswith("Traceback") and error is not None:
                first = next(iter(str(error).splitlines()), "")
                said.append(f"{type(error).__name__}: {first}")

    ears = Ears(logging.ERROR)
    log.addHandler(ears)
    try:
        yield said
    finally:
        log.removeHandler(ears)


def _put(graded: Path, course: CourseDirectory, submission: Submission) -> None:
    """Put what was graded in the place of what was there."""
    place = autograded_folder(course, submission)
    place.parent.mkdir(parents=True, exist_ok=True)
    if place.exists():
        shutil.rmtree(place)
    os.replace(graded, place)


def students_in_book(course: CourseDirectory, lesson: str) -> dict[str, list[str]]:
    """Who has a submission for a lesson in the grade book, with the cells that wait for a person's grade."""
    with Gradebook(course.db_url, course.course_id) as book:
        submissions = book.assignment_submissions(lesson)
        return {found.student_id: _waiting(found) for found in submissions}


def waiting_cells(book: Gradebook, submission: Submission) -> list[str]:
    """The cells of a submission that wait for a person's grade, by name."""
    return _waiting(book.find_submission(submission.lesson, submission.student))


def _waiting(found: SubmittedAssignment) -> list[str]:
    return sorted(
        grade.name
        for notebook in found.notebooks
        for grade in notebook.grades
        if grade.needs_manual_grade
    )
