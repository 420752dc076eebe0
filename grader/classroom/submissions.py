"""What a class handed in: who, what for, and whether it can be graded at all."""

from __future__ import annotations

import difflib
import os
import re
import shlex
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from dateutil import tz  # type: ignore[import-untyped]

from grader.errors import SetupError
from grader.learner.notebook_reader import NotebookError, read_notebook

WORK = (
    ".ipynb",
    ".zip",
    ".gz",
    ".tgz",
    ".7z",
    ".rar",
    ".tar",
    ".py",
)  # files that may hold answers
ALIKE = 0.8  # of the letters of two names
MOST_NAMES = 5  # of files, in a message
MAX_MEGABYTES = 100  # of one submission, all its files
_TIME = re.compile(r"\d{4}-\d\d-\d\d[ T]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?: ([A-Za-z][\w/+-]*))?")


@dataclass(frozen=True)
class Submission:
    """One student's folder for one lesson, as nbgrader lays it out: submitted/STUDENT/LESSON.

    In the names, signs that are not UTF-8 (as a zip of another system leaves them) are written with
    backslashes.
    """

    student: str
    lesson: str
    folder: Path

    @property
    def submitted(self) -> Path:
        """The folder of all that was handed in."""
        return self.folder.parents[1]


def submissions_in(submitted: Path, lesson: str | None = None) -> list[Submission]:
    """All that was handed in, for one lesson or for all, by lesson and student.

    Raises SetupError if a folder cannot be read.
    """
    found = []
    try:
        for student in sorted(submitted.iterdir()):
            if student.name.startswith(".") or not student.is_dir():
                continue
            for folder in sorted(student.iterdir()):
                if folder.is_dir() and lesson in (None, folder.name):
                    names = (_readable(student.name), _readable(folder.name))
                    found.append(Submission(*names, folder))
    except PermissionError as error:
        raise SetupError(
            f"{error.filename} cannot be read: fix its permissions, chmod -R u+rX "
            f"{shlex.quote(str(submitted))}"
        ) from error
    return sorted(found, key=lambda one: (one.lesson, one.student))


def misplaced_in(submitted: Path, lesson: str, lessons: Collection[str]) -> dict[Submission, str]:
    """What students handed in that is most likely for this lesson but in no folder of its name; why not graded.

    `lessons` are the names of the course's lessons: folders that are called so are other work.
    """
    found = {}
    for student in sorted(submitted.iterdir()):
        if student.name.startswith(".") or not student.is_dir() or (student / lesson).is_dir():
            continue
        others = [
            path.name
            for path in sorted(student.iterdir())
            if not path.name.startswith(".") and path.name not in lessons and _may_be_work(path)
        ]
        alike = [name for name in others if names_lesson(name, lesson)]
        nothing_else = not any((student / name).is_dir() for name in lessons)
        if names := alike or (others if nothing_else else []):
            one = Submission(_readable(student.name), lesson, student / lesson)
            there = ", ".join(map(_readable, names))
            found[one] = f"there is no folder {lesson} (there is: {there}); rename what was meant"
    return found


def stray_files_in(submitted: Path) -> list[str]:
    """Notebooks and archives next to the students' folders, so that they belong to no student."""
    files = sorted(path for path in submitted.iterdir() if path.is_file() and _may_be_work(path))
    return [_readable(path.name) for path in files]


def names_lesson(name: str, lesson: str) -> bool:
    """Whether a file or a folder is called nearly as a lesson."""
    plain = re.sub(r"\.\w{1,6}$", "", name).lower()
    letters, wanted = (re.sub(r"[^a-z0-9]", "", text) for text in (plain, lesson.lower()))
    id, _, slug = lesson.lower().partition("_")
    parts = re.split(r"[^a-z0-9]+", plain)
    within = wanted in letters or (bool(slug) and re.sub(r"[^a-z0-9]", "", slug) in letters)
    alike = difflib.SequenceMatcher(None, letters, wanted).ratio() >= ALIKE
    return within or alike or id in parts or str(int(id) if id.isdecimal() else id) in parts


def _may_be_work(path: Path) -> bool:
    return path.is_dir() or path.suffix.lower() in WORK


def cannot_be_graded(submission: Submission) -> str | None:
    """Why a submission is not run at all, for the person who has to look at it; None if it is."""
    notebook = f"{submission.lesson}.ipynb"
    name = submission.folder.parent.name
    # nbgrader takes these signs for a pattern, and would grade one student's work as a different student's
    if not name.isprintable() or name != name.strip() or set(name) & set("*?[]"):
        return f"the folder's name {name!a} cannot stand in a grade book: rename it"
    folder = submission.folder
    for path in (folder.parent, folder, *folder.rglob("*")):
        if path.is_symlink():
            where = path.relative_to(folder.parents[1])
            return f"{_readable(str(where))} is a link to another place: put the file itself there"
        if not path.is_file() and not path.is_dir():
            return f"{path.name!a} is neither a file nor a folder (a pipe, say): remove it"
        if not os.access(path, os.R_OK | os.X_OK if path.is_dir() else os.R_OK):
            return (
                f"{path.name!a} cannot be read: fix its permissions, chmod -R u+rX "
                f"{shlex.quote(str(folder))}"
            )
    if why := _no_time(folder / "timestamp.txt"):
        return why
    megabytes = sum(p.stat().st_size for p in folder.rglob("*") if p.is_file()) / (1 << 20)
    if megabytes > MAX_MEGABYTES:
        return f"it is {megabytes:.0f} MB large; no more than {MAX_MEGABYTES} MB are graded"
    if not (folder / notebook).is_file():
        return f"there is no {notebook} in it (there is: {_what_lies_in(folder)}); rename what was meant"
    try:
        read_notebook(folder / notebook)
    except NotebookError as problem:
        return str(problem)
    return None


def _what_lies_in(folder: Path) -> str:
    """The names of the notebooks in a folder and below it; without one, those of its other files."""
    paths = (path.relative_to(folder) for path in sorted(folder.rglob("*")) if path.is_file())
    files = [x for x in paths if not x.parts[0].startswith(".") and x.name != "timestamp.txt"]
    found = [path for path in files if path.suffix.lower() == ".ipynb"] or files
    names = [_readable(str(path)) for path in found[:MOST_NAMES]]
    more = len(found) - len(names)
    return ", ".join(names + ([f"{more} more"] if more else [])) or "no file"


def _no_time(path: Path) -> str | None:
    """Why nbgrader would misread the time of handing in; None if it does, or there is none.

    What it takes in silence: a day for a month, an unknown zone for UTC (nbgrader.utils.parse_utc).
    """
    if not path.is_file():
        return None
    text = path.read_bytes().decode("utf-8", "backslashreplace").strip()
    found = _TIME.fullmatch(text)
    if not text or (found and (found[1] is None or tz.gettz(found[1]) is not None)):
        return None
    return f"timestamp.txt holds {text[:40]!a}: write it in UTC, such as 2026-04-02 08:30:00 UTC"


def _readable(name: str) -> str:
    return name.encode("utf-8", "backslashreplace").decode()
