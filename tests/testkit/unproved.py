"""What of the course must be proved again, with the command that does it."""

from __future__ import annotations

from pathlib import Path

from grader.authoring.lesson_source import ExerciseSource, LessonSource
from grader.authoring.mutants.mutant_check import PART, mutants_rest_on
from grader.authoring.proof_store import (
    PROOFS,
    RestsOn,
    changed,
    engine_rests_on,
    read_proof,
    rests_on,
)
from grader.authoring.solved_notebooks import has_run
from grader.judging.check_pack import FILE_NAME, PackedExercise, read_pack
from grader.runtime.paths import PACKAGE


def unproved(lessons: list[LessonSource], course: Path, package: Path = PACKAGE) -> list[str]:
    """What must be proved again: a line for each exercise, with the command and what has changed."""
    found = []
    engine = engine_rests_on(package)
    for lesson in lessons:
        packed = read_pack(course / lesson.name / FILE_NAME).exercises
        for source in lesson.exercises:
            found += _unproved(source, packed.get(source.exercise.id), engine)
    return found


def _unproved(source: ExerciseSource, packed: PackedExercise | None, engine: RestsOn) -> list[str]:
    id = source.exercise.id
    fix = f"Run `grader verify {id}` and commit solutions/{source.lesson.name}/{PROOFS}"
    if packed is None:
        return [f"{id} is not in course/. Run `grader build`. {fix}"]
    named = read_proof(source).get("rests_on")
    labels = changed(named or {}, rests_on(source, packed, engine))
    if not labels:
        return []
    why = f"was proved with another {' and '.join(labels)}" if named else "has no proof"
    return [f"{id} {why}. {fix}"]


def unproved_mutants(lessons: list[LessonSource]) -> list[str]:
    """Where mutants are to be played anew, or slip by: a line an exercise."""
    found = []
    engine = engine_rests_on()
    for lesson in lessons:
        for source in lesson.exercises:
            part = read_proof(source).get(PART, {})
            id = source.exercise.id
            if part.get("rests_on") != mutants_rest_on(source, engine):
                found.append(f"{id}: run `grader verify --mutants {id}` and commit {PROOFS}.")
            elif part["survivors"] or part["stale"]:
                found.append(f"{id}: {PROOFS} names mutants that pass or stale explanations.")
    return found


def unproved_notebooks(lessons: list[LessonSource]) -> list[str]:
    """The lessons whose notebook is another than the one that ran: a line each, with the command."""
    return [
        f"The notebook of {lesson.id} did not run as it is now. Run `grader verify --notebooks"
        f" {lesson.id}` and commit solutions/{lesson.name}/{PROOFS}"
        for lesson in lessons
        if not has_run(lesson)
    ]
