"""What a class has: the grade book's scores and the judge's verdicts, as data for reports and exports."""

from __future__ import annotations

import re
from dataclasses import asdict, dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from nbformat import NotebookNode
from nbgrader.api import Grade, Student, SubmittedAssignment

from grader.classroom.course import Course, lesson_among
from grader.classroom.grade_writer import current_reasons
from grader.classroom.journal import Journal
from grader.classroom.submission_result import Reason, SubmissionResult, with_current
from grader.errors import SetupError
from grader.judging.check_pack import FILE_NAME, Pack
from grader.judging.verdict import Verdict
from grader.learner.notebook_reader import read_notebook
from grader.sandbox.notebook_cells import check_id, places_of
from grader.sandbox.noted_predictions import Predicted
from grader.sandbox.sandbox_kinds import UNSAFE
from grader.scenario import Exercise, place_of


@dataclass(frozen=True)
class Person:
    """A student as the grade book knows one; `lms_id` is the id in the school's learning platform."""

    id: str
    first_name: str = ""
    last_name: str = ""
    email: str = ""
    lms_id: str = ""

    @classmethod
    def of(cls, found: Student) -> Person:
        names = (found.first_name, found.last_name, found.email, found.lms_user_id)
        return cls(found.id, *(name or "" for name in names))

    @property
    def name(self) -> str:
        """Last name, first name, as lists have it; the id if the grade book has no name."""
        return ", ".join(part for part in (self.last_name, self.first_name) if part) or self.id


@dataclass(frozen=True)
class Cell:
    """A graded cell's score: the person's if there is one, otherwise the judge's; None if neither is.

    `exercise` is the id of the exercise that the cell checks, None for others (an essay, say).
    """

    name: str
    score: float | None
    max_score: float
    exercise: str | None
    waiting: bool

    @classmethod
    def of(cls, grade: Grade, exercise: str | None) -> Cell:
        ungraded = grade.manual_score is None and grade.auto_score is None
        score = None if ungraded else grade.score
        return cls(grade.name, score, grade.max_score, exercise, bool(grade.needs_manual_grade))


@dataclass(frozen=True)
class Mark:
    """One student's work for one lesson. The `score` has late penalties taken off already.

    - `score` is None if nothing was handed in, or nothing that could be graded
    - `predicted` is None if no run shows what was answered before running
    """

    student: Person
    lesson: str
    handed_in: bool = False
    score: float | None = None
    max_score: float = 0.0
    late_penalty: float = 0.0
    timestamp: str = ""
    cells: list[Cell] = field(default_factory=list)
    verdicts: list[Verdict] = field(default_factory=list)
    person: list[Reason] = field(default_factory=list)
    sandbox: str = ""
    predicted: Predicted | None = None

    @property
    def warning(self) -> str | None:
        return UNSAFE if self.sandbox == "none" else None

    def to_dict(self) -> dict[str, Any]:
        return {**asdict(self), "warning": self.warning}


@dataclass(frozen=True)
class LessonMarks:
    """A lesson and what every student of the grade book has in it, by student.

    `passages` are the headings under which the lesson teaches what its exercises need, by exercise.
    """

    pack: Pack
    name: str
    marks: list[Mark]
    passages: dict[str, str] = field(default_factory=dict)

    @property
    def max_score(self) -> float:
        return max((mark.max_score for mark in self.marks), default=0.0)


def read_marks(root: Path, lessons: list[str] | None = None) -> list[LessonMarks]:
    """Everything in the grade book and journal of the course in `root`.

    `lessons` are ids or folder names, such as 03 or 03_watermarks; None means all that were graded.
    Raises SetupError if nothing of the kind was graded.
    """
    course = Course.read(root, root / "submitted")
    with Journal(course.grading / "journal.db") as journal:
        known = [n for n in journal.lessons() if (course.released(n) / FILE_NAME).is_file()]
        names = known if lessons is None else [_named(given, known) for given in lessons]
        if not names:
            raise SetupError(
                f"`grader grade` has graded nothing in {root} yet: grader grade submitted/ "
                "(what `nbgrader autograde` ran is not run again)"
            )
        return [_marks_of(course, name, journal.of_lesson(name)) for name in names]


def _named(given: str, known: list[str]) -> str:
    if name := lesson_among(known, given):
        return name
    there = ", ".join(known) or "none yet"
    raise SetupError(f"No submission for lesson {given!r} has been graded; there are: {there}.")


def _marks_of(course: Course, lesson: str, graded: list[SubmissionResult]) -> LessonMarks:
    pack = course.pack(lesson)
    checks = {check_id(packed.exercise): packed.exercise.id for packed in pack.graded()}
    results = {one.student: one for one in graded}
    marks = []
    with course.book() as book:
        people = {found.id: Person.of(found) for found in book.students}
        handed_in = {found.student_id: found for found in book.assignment_submissions(lesson)}
        for student in sorted({*people, *results}):
            person = people.get(student, Person(student))
            if student in handed_in:
                of_student = results.get(student, SubmissionResult(student, lesson))
                marks.append(_mark(person, of_student, handed_in[student], checks))
            elif student in results:  # what could not even be put in the grade book
                marks.append(Mark(person, lesson, handed_in=True, person=results[student].person))
            else:
                marks.append(Mark(person, lesson))
    notebook = read_notebook(course.notebook(lesson))
    passages = {p.exercise.id: _passage(notebook, p.exercise) for p in pack.graded()}
    return LessonMarks(pack, lesson, marks, passages)


def _mark(
    person: Person,
    graded: SubmissionResult,
    submission: SubmittedAssignment,
    checks: dict[str, str],
) -> Mark:
    grades = [grade for notebook in submission.notebooks for grade in notebook.grades]
    cells = [Cell.of(grade, checks.get(grade.name)) for grade in grades]
    scored = any(cell.score is not None for cell in cells)
    why = with_current(graded.person, current_reasons(submission))
    if not scored:
        unended = "its grading did not finish: type grader grade again"
        why = graded.person or [Reason(unended)]
    penalty = submission.late_submission_penalty or 0.0
    handed_in: datetime | None = submission.timestamp
    return Mark(
        person,
        graded.lesson,
        handed_in=True,
        score=max(0.0, submission.score - penalty) if scored else None,
        max_score=submission.max_score,
        late_penalty=penalty,
        timestamp=handed_in.isoformat() if handed_in else "",
        cells=sorted(cells, key=_by_exercise),
        verdicts=graded.verdicts,
        person=why,
        sandbox=graded.sandbox,
        predicted=graded.predicted,
    )


def _by_exercise(cell: Cell) -> tuple[bool, tuple[int, ...], str]:
    """By exercise and name; cells without an exercise come last."""
    return (cell.exercise is None, place_of(cell.exercise or "0"), cell.name)


def _passage(notebook: NotebookNode, exercise: Exercise) -> str:
    """The heading under which a lesson teaches what an exercise needs; "" without one.

    It is the last one before the exercise's check that is not itself an exercise's.
    """
    check = places_of(notebook, exercise).check
    before = notebook.cells[:check] if check is not None else notebook.cells
    heads = [
        line.lstrip("#").strip()
        for cell in before
        if cell.cell_type == "markdown"
        for line in cell.source.splitlines()
        if line.startswith("#")
    ]
    lesson = exercise.id.split(".", 1)[0]
    taught = [head for head in heads if not re.search(rf"\b{lesson}\.\d", head)]
    return next(reversed(taught), "")
