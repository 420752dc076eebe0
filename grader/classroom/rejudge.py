"""Judged again from what was kept of a run: autograded notebook and grade book get the new verdicts.

No submission's code runs, and nbgrader's converter need not either: cells and what they showed stay.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import nbformat
from nbgrader.api import Gradebook
from traitlets.config import Config

from grader.classroom.grade_writer import autograded_folder, course_of, waiting_cells
from grader.classroom.gradebook import notebooks_of, released
from grader.classroom.preprocessors import Record, Resources, Restore, save_score, show_verdicts
from grader.classroom.submissions import Submission
from grader.judging.verdict import Verdict
from grader.sandbox.notebook_cells import check_id
from grader.sandbox.observed_run import Checked, Wanted
from grader.sandbox.sandbox_kinds import named_kind


class Again:
    """A lesson's submissions judged again, one after the other; a context that holds the grade book."""

    def __init__(self, config: Config, lesson: str):
        self._course = course_of(config)
        self._lesson = released(self._course, lesson)
        self._record = Record(config=config)
        self._restore = Restore(config=config)
        self._wanted: dict[str, list[Wanted]] = {}  # by student, "" for all
        self._book = Gradebook(self._course.db_url, self._course.course_id)

    def __enter__(self) -> Again:
        return self

    def __exit__(self, *_: object) -> None:
        self._book.close()

    def judge(self, submission: Submission, before: list[Verdict]) -> list[Verdict] | None:
        """The verdicts on a submission that ran, written as `nbgrader autograde` would write them.

        `before` are those that its notebook shows. None where it has to run.
        """
        folder = autograded_folder(self._course, submission)
        verdicts: list[Verdict] = []
        for given in notebooks_of(self._lesson):
            checked = self._judge(submission, folder / given.name, before)
            if checked is None:
                return None
            verdicts += checked.verdicts.values()
        for path in self._lesson.rglob("*"):
            if path.is_file() and path.suffix != ".ipynb":
                new = folder / path.relative_to(self._lesson)
                new.unlink(missing_ok=True)
                shutil.copyfile(path, new)
        return verdicts

    def waiting(self, submission: Submission) -> list[str]:
        return waiting_cells(self._book, submission)

    def _wanted_of(self, resources: Resources) -> list[Wanted]:
        """What decides, read once a class where all have the same hidden events."""
        each = self._record.hidden_for == "student"
        student = resources["nbgrader"]["student"] if each else ""
        if student not in self._wanted:
            self._wanted = {student: self._record.wanted(resources)}
        return self._wanted[student]

    def _judge(self, submission: Submission, path: Path, before: list[Verdict]) -> Checked | None:
        about = {"assignment": submission.lesson, "student": submission.student}
        resources = {"nbgrader": {**about, "notebook": path.stem}}
        notebook = nbformat.read(path, as_version=4)
        kind = named_kind(self._record.sandbox, otherwise="auto")
        wanted = self._wanted_of(resources)
        kept = self._record.kept(notebook, resources, path.parent, wanted, kind)
        checked = kept.judged(wanted)
        if checked is None:
            return None
        notebook, _ = self._restore.preprocess(notebook, resources)  # points may have changed
        shown = {verdict.exercise: verdict for verdict in before}
        new = [
            one.packed
            for one in wanted
            if shown.get(one.packed.exercise.id) != checked.verdicts[one.packed.exercise.id]
        ]
        show_verdicts(notebook, new, checked)
        _write(nbformat.writes(notebook), path)
        for one in wanted:
            verdict = checked.verdicts[one.packed.exercise.id]
            cell = check_id(one.packed.exercise)
            place = (cell, path.stem, submission.lesson, submission.student)
            save_score(self._book, place, verdict)
        self._book.db.commit()
        return checked


def _write(text: str, path: Path) -> None:
    """Replace a file in one step; it keeps its permissions."""
    new = path.with_name(f".{path.name}.{os.getpid()}")
    new.write_text(text, encoding="utf-8")
    shutil.copymode(path, new)
    os.replace(new, path)
