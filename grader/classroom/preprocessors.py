"""nbgrader's autograde with the judge's score: what takes the place of Execute and SaveAutoGrades.

- Restore puts back the course's nbgrader metadata and check cells, whatever was handed in. Nothing in the
  notebook runs in a reader's browser.
- Record runs the notebook outside of this process, and shows outputs and verdicts in it.
- Grade writes the judge's scores to the grade book, whatever the cells say.

nbgrader's converter calls all of them. `grader grade` (grade_writer.py) runs notebooks itself, in the place of
Record, and calls the others.
"""

from __future__ import annotations

import copy
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any

import nbformat
from nbformat import NotebookNode
from nbgrader.preprocessors import NbGraderPreprocessor, SaveAutoGrades
from nbgrader.utils import is_solution
from traitlets import Bool, Enum, Float

from grader.classroom.course import Course
from grader.classroom.grade_writer import write_scores
from grader.classroom.hidden_scenarios import exercise_check, hidden_of
from grader.classroom.notebook_outputs import show_run
from grader.classroom.sanitizer import disarm
from grader.classroom.submission_run import SubmissionRun
from grader.errors import SetupError
from grader.judging.check_pack import PackedExercise
from grader.judging.verdict import Verdict
from grader.sandbox.notebook_cells import (
    check_id,
    grade_id,
    places_of,
    turn_answers_back,
    turn_into,
)
from grader.sandbox.observed_run import ExerciseCheck
from grader.sandbox.sandbox_kinds import KINDS, UNSAFE, choose_kind, named_kind
from grader.sandbox.supervisor import CELL_SECONDS, supervise
from grader.validity.digest import digest_of

Resources = dict[str, Any]


class Restore(NbGraderPreprocessor):  # type: ignore[misc]
    """Give cells their own nbgrader metadata again, and put back check cells that are gone; disarm the rest.

    nbgrader gives up on a submission, or on the whole class, if metadata are damaged.
    """

    def preprocess(self, nb: NotebookNode, resources: Resources) -> tuple[NotebookNode, Resources]:
        course, lesson = Course.running(self.config), resources["nbgrader"]["assignment"]
        given = nbformat.read(course.notebook(lesson), as_version=4)
        marked = {grade_id(cell): cell for cell in given.cells if grade_id(cell)}
        graded = course.pack(lesson).graded()
        turn_answers_back(nb, [packed.exercise for packed in graded])
        answers = {packed.exercise.answer for packed in graded}
        found: set[str | None] = set()
        for cell in reversed(nb.cells):
            if "nbgrader" not in cell.metadata:
                continue
            name = grade_id(cell)
            own = marked.get(name)
            if own is not None and is_solution(own) and name not in answers:
                turn_into(cell, own.cell_type)  # an essay, say
            if own is None or own.cell_type != cell.cell_type:
                self.log.warning("Cell %r is not of this lesson", name)
                del cell.metadata["nbgrader"]
            elif name in found:  # nbgrader's DeduplicateIds leaves marks that it then refuses
                self.log.warning("Cell %r is there more than once; the last one counts", name)
                del cell.metadata["nbgrader"]
            else:
                found.add(name)
                cell.metadata["nbgrader"] = copy.deepcopy(own.metadata["nbgrader"])
        disarm(nb, given)
        for packed in graded:
            self.put_back(nb, packed, marked.get(check_id(packed.exercise)))
        return nb, resources

    def put_back(
        self, nb: NotebookNode, packed: PackedExercise, check: NotebookNode | None
    ) -> None:
        if check is None:
            raise SetupError(
                f"The notebook in course/ has no cell {check_id(packed.exercise)!r}, which its check "
                f"pack requires. Make both again with `grader build`."
            )
        if any(grade_id(cell) == grade_id(check) for cell in nb.cells):
            return
        self.log.warning("Check cell %r was missing and has been put back", grade_id(check))
        answers = places_of(nb, packed.exercise).answers
        new = copy.deepcopy(check)
        there = {cell.get("id") for cell in nb.cells}
        names = (digest_of([str(grade_id(check)), str(number)])[:12] for number in count())
        new["id"] = next(name for name in names if name not in there)  # the same every time
        nb.cells.insert(answers[-1] + 1 if answers else len(nb.cells), new)


class Record(NbGraderPreprocessor):  # type: ignore[misc]
    """Run the notebook through the supervisor; show the results in the notebook."""

    cell_seconds = Float(CELL_SECONDS, help="seconds that one cell may take").tag(config=True)
    sandbox = Enum(
        KINDS,
        default_value=None,
        allow_none=True,
        help="what shuts a submission away: bwrap, docker, or none. Without it GRADER_SANDBOX decides, else auto: "
        "bwrap, and where that cannot be nothing is graded.",
    ).tag(config=True)

    hidden_for = Enum(
        ("class", "student"),
        default_value="class",
        help="who has hidden events in common: the class, or no two students. Those of each student take as long to "
        "work out as a lesson's proof, for each.",
    ).tag(config=True)
    fresh = Bool(
        False,
        help="run a submission even where its run is kept: after a night with a loaded machine, say",
    ).tag(config=True)
    _checks: dict[tuple[str, int], list[ExerciseCheck]] = {}  # noqa: RUF012 (replaced, never changed)

    def preprocess(self, nb: NotebookNode, resources: Resources) -> tuple[NotebookNode, Resources]:
        kind = choose_kind(self.sandbox, otherwise="auto")
        about = resources["nbgrader"]
        student, lesson = about["student"], about["assignment"]
        if kind == "none":
            self.log.warning("%s: %s", student, UNSAFE)
        if self.course.solutions(lesson) is None:
            self.log.warning("No solutions/ here: graded on the public scenarios only")
        folder = Path(resources["metadata"]["path"])
        submission = self.run_of(student, lesson, nb, folder)
        observed = None if self.fresh else submission.kept()
        if observed is None:
            notify = partial(self.notify, student)
            observed = submission.make(partial(supervise, sandbox=kind, notify=notify))
        about["verdicts"] = show_run(nb, self.checks(student, lesson), observed)
        return nb, resources

    @property
    def course(self) -> Course:
        return Course.running(self.config)

    def seed(self, student: str, lesson: str) -> int:
        """The seed of the hidden events that a student's answers are played on."""
        return self.course.hidden_seed(lesson, student if self.hidden_for == "student" else None)

    def checks(self, student: str, lesson: str) -> list[ExerciseCheck]:
        """What a student's answers are judged by; read once if all have the same hidden events."""
        key = (lesson, self.seed(student, lesson))
        if key not in self._checks:
            source = self.course.solutions(lesson)
            hidden = {} if source is None else hidden_of(source, key[1])
            packed = self.course.pack(lesson).graded()
            found = [exercise_check(one, hidden.get(one.exercise.id)) for one in packed]
            self._checks = {key: found}
        return self._checks[key]

    def run_of(self, student: str, lesson: str, nb: NotebookNode, folder: Path) -> SubmissionRun:
        """The run of a student's notebook in its folder."""
        store = self.course.grading / "runs" / student / lesson / f"{lesson}.zst"
        checks, given = self.checks(student, lesson), self.course.released(lesson)
        kind = named_kind(self.sandbox, otherwise="auto")
        return SubmissionRun(nb, checks, folder, given, store, kind, self.cell_seconds)

    def notify(self, student: str, text: str) -> None:
        (self.log.info if "points" in text else self.log.debug)("%s: %s", student, text)


class Grade(SaveAutoGrades):  # type: ignore[misc]
    """Save the judge's score of every exercise; other cells are graded as nbgrader does.

    An answer that a person has graded, and that has not changed since, does not need a person again.
    """

    def preprocess(self, nb: NotebookNode, resources: Resources) -> tuple[NotebookNode, Resources]:
        verdicts: dict[str, Verdict] | None = resources["nbgrader"].get("verdicts")
        if verdicts is None:
            raise SetupError(
                "Grade needs the verdicts of Record: keep both in c.Autograde.autograde_preprocessors "
                "of nbgrader_config.py, Record first."
            )
        self.judged = verdicts
        self.settled: set[str] = resources["nbgrader"].get("settled", set())
        nb, resources = super().preprocess(nb, resources)
        place = (self.notebook_id, self.assignment_id, self.student_id)
        write_scores(self.db_url, *place, verdicts)
        return nb, resources

    def _add_score(self, cell: NotebookNode, resources: Resources) -> None:
        name = grade_id(cell)
        if name not in self.judged and not (is_solution(cell) and name in self.settled):
            super()._add_score(cell, resources)
