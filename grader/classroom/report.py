"""How a class did in a lesson: for the teacher, as data."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, dataclass
from statistics import StatisticsError, correlation, mean, median
from typing import Any

from grader.classroom.marks import LessonMarks, Mark
from grader.classroom.prediction_report import PredictionReport, predictions_of
from grader.classroom.similarity import Pair, Ring, Similarities
from grader.classroom.submission_result import first_failure
from grader.judging.check_pack import PackedExercise
from grader.judging.verdict import STATUSES

FEWEST = 5  # students without whom a correlation says nothing


@dataclass(frozen=True)
class Misconception:
    """A known mistake and the students who made it.

    `passage` is where the course teaches the idea: a notebook and the anchor of a heading in it, as
    JupyterLab makes them.
    """

    id: str
    title: str
    students: list[str]
    passage: str


@dataclass(frozen=True)
class ExerciseReport:
    """One exercise: mean of the judge's points, students by status, failed criteria by how often, mistakes.

    The `discrimination` is the correlation of its points with the points of all other exercises, from -1 to 1.
    Near 0 it says nothing about who knows the rest. It is None for fewer than FEWEST, or if all have the same points.
    """

    id: str
    title: str
    points: float
    mean: float | None
    discrimination: float | None
    statuses: dict[str, int]
    failed_criteria: dict[str, int]
    misconceptions: list[Misconception]
    no_name: list[str]  # students who were wrong in a way that is not a known mistake


@dataclass(frozen=True)
class NeedsPerson:
    student: str
    exercise: str | None
    why: str


@dataclass(frozen=True)
class Report:
    """A lesson. `scores` are those of the grade book; `stuck` are students who passed no exercise."""

    lesson: str
    title: str
    max_score: float
    students: int
    handed_in: int
    graded: int
    scores: dict[str, float]  # mean, median, lowest, highest; empty if none was graded
    exercises: list[ExerciseReport]
    predictions: list[PredictionReport]
    timeouts: list[NeedsPerson]
    person: list[NeedsPerson]
    alike: list[Pair]  # for a person to read; proves nothing
    rings: list[Ring]
    like_course: list[Ring]  # whose answer is nearly the course's own
    stuck: list[str]
    missing: list[str]
    warning: str | None

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)


def report_on(lesson: LessonMarks, alike: Similarities | None = None) -> Report:
    """What grade book and journal say about a lesson; `alike` are the answers that a person should read."""
    alike = alike or Similarities()
    marks = lesson.marks
    graded = [mark for mark in marks if mark.verdicts]
    scores = [mark.score for mark in graded if mark.score is not None]
    person = [NeedsPerson(m.student.id, why.exercise, why.why) for m in marks for why in m.person]
    timeouts = [
        NeedsPerson(mark.student.id, verdict.exercise, first_failure(verdict))
        for mark in graded
        for verdict in mark.verdicts
        if verdict.status == "timeout"
    ]
    unsafe = [mark.warning for mark in graded if mark.warning]
    return Report(
        lesson=lesson.name,
        title=lesson.pack.title,
        max_score=lesson.max_score,
        students=len(marks),
        handed_in=sum(mark.handed_in for mark in marks),
        graded=len(graded),
        scores=_spread(scores),
        exercises=[_exercise(lesson, packed, graded) for packed in lesson.pack.graded()],
        predictions=predictions_of(lesson.pack, [mark.predicted for mark in graded]),
        timeouts=timeouts,
        person=person,
        alike=alike.pairs,
        rings=alike.rings,
        like_course=alike.like_course,
        stuck=[m.student.id for m in graded if not any(v.passed for v in m.verdicts)],
        missing=[mark.student.id for mark in marks if not mark.handed_in],
        warning=f"{len(unsafe)} submissions were {unsafe[0]}" if unsafe else None,
    )


def _exercise(lesson: LessonMarks, packed: PackedExercise, graded: list[Mark]) -> ExerciseReport:
    exercise = packed.exercise
    every = [(mark.student.id, verdict) for mark in graded for verdict in mark.verdicts]
    verdicts = {student: verdict for student, verdict in every if verdict.exercise == exercise.id}
    statuses = Counter(verdict.status for verdict in verdicts.values())
    wrong = [verdict for verdict in verdicts.values() if verdict.status == "failed"]
    failed = Counter(one.name for verdict in wrong for one in verdict.criteria if not one.passed)
    named: dict[tuple[str, str], list[str]] = {}
    no_name = []
    for student, verdict in verdicts.items():
        if verdict.diagnosis is not None:
            named.setdefault((verdict.diagnosis.id, verdict.diagnosis.title), []).append(student)
        elif verdict.status in ("failed", "error"):
            no_name.append(student)
    heading = lesson.passages.get(exercise.id, "").replace(" ", "-")
    passage = f"course/{lesson.name}/{lesson.name}.ipynb" + (f"#{heading}" if heading else "")
    often = sorted(named.items(), key=lambda item: (-len(item[1]), item))
    return ExerciseReport(
        exercise.id,
        exercise.title,
        exercise.points,
        round(mean(v.score for v in verdicts.values()), 2) if verdicts else None,
        _discrimination(exercise.id, graded),
        {status: statuses[status] for status in STATUSES},
        dict(failed.most_common()),
        [Misconception(*which, students, passage) for which, students in often],
        no_name,
    )


def _discrimination(exercise: str, graded: list[Mark]) -> float | None:
    own, others = [], []
    for mark in graded:
        scores = {verdict.exercise: verdict.score for verdict in mark.verdicts}
        if exercise in scores:
            own.append(scores[exercise])
            others.append(sum(scores.values()) - scores[exercise])
    if len(own) < FEWEST:
        return None
    try:
        return round(correlation(own, others), 2)
    except StatisticsError:  # all have the same
        return None


def _spread(scores: list[float]) -> dict[str, float]:
    if not scores:
        return {}
    names = ("mean", "median", "lowest", "highest")
    figures = (mean(scores), median(scores), min(scores), max(scores))
    return {name: round(figure, 2) for name, figure in zip(names, figures, strict=True)}
