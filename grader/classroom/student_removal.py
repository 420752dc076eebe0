"""Removes a student from a class: grade book, journal, folders, reports and exports."""

from __future__ import annotations

import contextlib
import shutil
import sqlite3
from dataclasses import dataclass
from pathlib import Path

from nbgrader.api import MissingEntry

from grader.classroom.course import Course
from grader.classroom.exports import A_FOLDER, ONE_FILE, export
from grader.classroom.journal import Journal
from grader.classroom.marks import read_marks
from grader.errors import SetupError

SQLITE = "sqlite:///"
# format → what is written again as a whole; gradescope's has a folder for each student
EXPORTED = {
    name: place for name, (place, _) in {**ONE_FILE, **A_FOLDER}.items() if name != "gradescope"
}


@dataclass(frozen=True)
class StudentTraces:
    """What a course's folder holds of a student: a row in grade book or journal, folders and files."""

    course: Course
    student: str
    root: Path
    rows: tuple[str, ...]
    folders: tuple[Path, ...]
    shared: tuple[Path, ...]  # files on the whole class, made again or not needed
    exports: tuple[str, ...]  # formats

    def described(self) -> list[str]:
        """Each trace as a line."""
        files = [str(path) for path in (*self.folders, *self.shared)]
        tables = [f"{EXPORTED[name]} (written again without the student)" for name in self.exports]
        return [*(f"the rows in {row}" for row in self.rows), *files, *tables]

    def remove(self) -> None:
        """Take all of it away; exports are written again. The caller holds the lock of the class."""
        with self.course.book() as book, contextlib.suppress(MissingEntry):
            book.remove_student(self.student)
        with Journal(self.course.grading / "journal.db") as journal:
            journal.forget_student(self.student)
        if self.course.db_url.startswith(SQLITE):
            _overwrite_deleted(Path(self.course.db_url.removeprefix(SQLITE)))
        for path in self.folders:
            shutil.rmtree(path)
        for path in self.shared:
            path.unlink()
        for name in self.exports:
            path = self.root / EXPORTED[name]
            for file in path.glob("*.csv") if path.is_dir() else [path]:
                file.unlink()
            try:
                export(read_marks(self.root), name, path)
            except SetupError:  # no other submission was graded
                continue


def traces_of(root: Path, student: str) -> StudentTraces:
    """What the course in `root` holds of a student. Raises SetupError if that is nothing."""
    course = Course.read(root, root / "submitted")
    with course.book() as book:
        in_book = any(found.id == student for found in book.students)
    with Journal(course.grading / "journal.db") as journal:
        in_journal = student in journal.students()
    rows = [course.db_url] * in_book + ["grading/journal.db"] * in_journal
    # a name such as .. leads to a folder that is not the student's
    directory, own = course.directory, student not in ("", ".", "..") and "/" not in student
    kinds = (directory.submitted_directory, directory.autograded_directory)
    places = [root / kind / student for kind in (*kinds, directory.feedback_directory)]
    places += [course.grading / kind / student for kind in ("runs", "staging")]
    places += (root / "gradescope").glob("*/*")
    folders = [path for path in places if own and path.name == student and path.is_dir()]
    if not rows and not folders:
        raise SetupError(f"There is no student {student!r} in the class in {root}.")
    log = course.grading / "log"
    shared = [*sorted((course.grading / "reports").glob("*.html")), *([log] * log.is_file())]
    exports = [name for name, place in EXPORTED.items() if (root / place).exists()]
    return StudentTraces(
        course, student, root, tuple(rows), tuple(folders), tuple(shared), tuple(exports)
    )


def _overwrite_deleted(database: Path) -> None:
    """Write a database again, so that what was deleted is not in its file any more."""
    with sqlite3.connect(database) as connection:
        connection.execute("VACUUM")
    connection.close()
