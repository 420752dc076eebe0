"""What decides on the exercises of a lesson: their public plays, and a hidden one where there is one."""

from __future__ import annotations

from pathlib import Path

from nbgrader.coursedir import CourseDirectory

from grader.classroom.course_secret import course_secret, seed_of
from grader.classroom.course_settings import grading_folder, solutions_of
from grader.classroom.hidden_scenarios import Hidden, hidden_of
from grader.judging.check_pack import FILE_NAME, PackedExercise, read_pack
from grader.sandbox.observed_run import ExerciseCheck


def lesson_checks(lesson: Path, seed: int) -> list[ExerciseCheck]:
    """The checks of a lesson's folder in course/; without its solutions public plays alone decide."""
    source = solutions_of(lesson)
    hidden = {} if source is None else hidden_of(source, seed)
    packed = read_pack(lesson / FILE_NAME).graded()
    return [exercise_check(one, hidden.get(one.exercise.id)) for one in packed]


def exercise_check(packed: PackedExercise, hidden: Hidden | None) -> ExerciseCheck:
    if hidden is None:
        return ExerciseCheck(packed, packed.plays())
    return ExerciseCheck(packed, [*packed.plays(), hidden.play], hidden.runs)


def hidden_seed(course: CourseDirectory, lesson: str, student: str | None) -> int:
    """The seed of the hidden events for a class, or for one of its students."""
    secret = course_secret(grading_folder(course))
    return seed_of(secret, lesson, *([] if student is None else [student]))
