"""What has been graded: one row per submission, in a database that survives any kill.

Each row has a digest of all that decides on the submission's page and grades. A row is there only when
grade book and page are written; what was begun and not finished has none, and is done again. So nothing is
lost, and nothing that is done is done twice.
The columns have the names of the first journals: `page` is the digest, `verdict` the folder of the class.
"""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from typing import Any

from grader.classroom.submission_result import SubmissionResult

VERSION = 1


class Journal:
    """The journal of a class, a file; a context that ends with closing it. Of one thread."""

    def __init__(self, path: Path):
        self._book = sqlite3.connect(path, isolation_level=None)
        self._book.execute("PRAGMA synchronous = FULL")
        self._book.execute(
            "CREATE TABLE IF NOT EXISTS graded (lesson TEXT, student TEXT, page TEXT, verdict TEXT,"
            " version INTEGER, told TEXT, at TEXT DEFAULT CURRENT_TIMESTAMP, PRIMARY KEY (lesson, student))"
        )

    def __enter__(self) -> Journal:
        return self

    def __exit__(self, *_: object) -> None:
        self._book.close()

    def done(self, lesson: str, student: str, digest: str) -> SubmissionResult | None:
        """The result of a submission, if what was graded has this digest."""
        where = "lesson = ? AND student = ? AND page = ?"
        return next(iter(self._results(where, lesson, student, digest)), None)

    def begin(self, lesson: str, student: str) -> None:
        """From now on the submission is not graded, until `finish`."""
        self._ask("DELETE FROM graded WHERE (lesson, student) = (?, ?)", lesson, student)

    def finish(self, graded: SubmissionResult, digest: str, submitted: Path) -> None:
        """Note the result of a submission in the folder `submitted`; "" is what could not be graded."""
        result = json.dumps(graded.to_dict())
        self._ask(
            "INSERT OR REPLACE INTO graded (lesson, student, page, verdict, version, told)"
            " VALUES (?, ?, ?, ?, ?, ?)",
            *(graded.lesson, graded.student, digest, str(submitted), VERSION, result),
        )

    def forget_what_is_gone(self, submitted: Path) -> None:
        """Forget what could not be graded in this folder and is not there any more: renamed, say."""
        which = "SELECT lesson, student FROM graded WHERE (page, verdict) = ('', ?)"
        for lesson, student in self._ask(which, str(submitted)):
            if not (submitted / student / lesson).is_dir():
                self.begin(lesson, student)

    def forget_student(self, student: str) -> None:
        """Forget all of a student; the file is written again, without what was deleted."""
        self._ask("DELETE FROM graded WHERE student = ?", student)
        self._ask("VACUUM")

    def students(self) -> set[str]:
        return {name for (name,) in self._ask("SELECT DISTINCT student FROM graded")}

    def of_lesson(self, lesson: str) -> list[SubmissionResult]:
        """The results of all submissions of a lesson, by student."""
        return self._results("lesson = ? ORDER BY student", lesson)

    def lessons(self) -> list[str]:
        names = self._ask("SELECT DISTINCT lesson FROM graded ORDER BY 1")
        return [name for (name,) in names]

    def _results(self, where: str, *values: str) -> list[SubmissionResult]:
        rows = self._ask(f"SELECT told FROM graded WHERE version = {VERSION} AND {where}", *values)
        return [SubmissionResult.from_dict(json.loads(result)) for (result,) in rows]

    def _ask(self, statement: str, *values: Any) -> list[tuple[Any, ...]]:
        return self._book.execute(statement, values).fetchall()
