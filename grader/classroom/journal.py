"""What has been graded: one row a submission, in a database that outlives any kill.

Each row has two digests: `page`, of all that decides on what the submission's notebook looks like
once it ran, and `verdict`, of all that decides on its grades beside that. A row is there only when
grade book and notebook are written; what was begun and not finished has none, and is done again. So
nothing is lost, and nothing that is done is done twice.
"""

from __future__ import annotations

import json
import sqlite3
import threading
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from grader.judging.verdict import Verdict
from grader.sandbox.noted_predictions import Predicted

VERSION = 1


@dataclass(frozen=True)
class RestsOn:
    """Digests of what a grade rests on; see above."""

    page: str
    verdict: str


@dataclass(frozen=True)
class Reason:
    """Why a person should look at a submission; `exercise` is an id, or None for the whole of it."""

    why: str
    exercise: str | None = None


@dataclass
class Graded:
    """What came of one submission: verdicts, or, where it could not be graded, only why not.

    `sandbox` is the kind in which it ran, `seconds` what that took, `predicted` what it answered before
    running (None: graded before that was noted).
    """

    student: str
    lesson: str
    verdicts: list[Verdict] = field(default_factory=list)
    person: list[Reason] = field(default_factory=list)
    sandbox: str = ""
    seconds: float = 0.0
    predicted: Predicted | None = None

    @property
    def graded(self) -> bool:
        return bool(self.verdicts)

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Graded:
        verdicts = [Verdict.from_dict(given) for given in data["verdicts"]]
        person = [Reason(**given) for given in data["person"]]
        return cls(**{**data, "verdicts": verdicts, "person": person})


WAITS = "waits for a grade by hand"


def with_waiting(before: list[Reason], cells: Iterable[str]) -> list[Reason]:
    """The reasons of when it was graded, with the cells that wait *now* for a person's grade."""
    kept = [reason for reason in before if not reason.why.endswith(WAITS)]
    return kept + [Reason(f"{cell} {WAITS}") for cell in cells]


class Journal:
    """The journal of a class, a file; used by several threads."""

    def __init__(self, path: Path):
        self._lock = threading.Lock()
        self._book = sqlite3.connect(path, check_same_thread=False, isolation_level=None)
        self._book.execute("PRAGMA synchronous = FULL")
        self._book.execute(
            "CREATE TABLE IF NOT EXISTS graded (lesson TEXT, student TEXT, page TEXT, verdict TEXT,"
            " version INTEGER, told TEXT, at TEXT DEFAULT CURRENT_TIMESTAMP, PRIMARY KEY (lesson, student))"
        )

    def done(self, lesson: str, student: str, rests_on: RestsOn) -> tuple[Graded, str] | None:
        """What came of a submission if its page is this one, and the digest of its grades."""
        rows = self._ask(
            "SELECT told, verdict FROM graded WHERE (lesson, student, page, version) = (?, ?, ?, ?)",
            (lesson, student, rests_on.page, VERSION),
        )
        return (_read(rows[0][0]), rows[0][1]) if rows else None

    def begin_again(self, lesson: str, student: str) -> None:
        """From now on the verdicts of a submission that ran are none that anybody knows, until `finish`."""
        self._ask(
            "UPDATE graded SET verdict = '' WHERE (lesson, student) = (?, ?)", (lesson, student)
        )

    def begin(self, lesson: str, student: str) -> None:
        """From now on the submission is not graded, until `finish`."""
        self._ask("DELETE FROM graded WHERE (lesson, student) = (?, ?)", (lesson, student))

    def finish(self, rests_on: RestsOn, graded: Graded) -> None:
        told = json.dumps(graded.to_dict())
        self._ask(
            "INSERT OR REPLACE INTO graded (lesson, student, page, verdict, version, told)"
            " VALUES (?, ?, ?, ?, ?, ?)",
            (graded.lesson, graded.student, rests_on.page, rests_on.verdict, VERSION, told),
        )

    def give_up(self, graded: Graded, submitted: Path) -> None:
        """Note why a submission in this folder could not be graded; the next time it is tried again."""
        self.finish(RestsOn("", str(submitted)), graded)

    def forget_what_is_gone(self, submitted: Path) -> None:
        """Forget what could not be graded in this folder and is not there any more: renamed, say."""
        for lesson, student, where in self._ask(
            "SELECT lesson, student, verdict FROM graded WHERE page = ''", ()
        ):
            if where in ("", str(submitted)) and not (submitted / student / lesson).is_dir():
                self.begin(lesson, student)

    def of_lesson(self, lesson: str) -> list[Graded]:
        """What came of all submissions of a lesson, by student."""
        rows = self._ask(
            "SELECT told FROM graded WHERE (lesson, version) = (?, ?) ORDER BY student",
            (lesson, VERSION),
        )
        return [_read(told) for (told,) in rows]

    def lessons(self) -> list[str]:
        return [name for (name,) in self._ask("SELECT DISTINCT lesson FROM graded ORDER BY 1", ())]

    def close(self) -> None:
        self._book.close()

    def _ask(self, statement: str, values: tuple[Any, ...]) -> list[tuple[Any, ...]]:
        with self._lock:
            return self._book.execute(statement, values).fetchall()


def _read(told: str) -> Graded:
    return Graded.from_dict(json.loads(told))
