"""The check packs for a notebook: those near it, else those that came with the package."""

from __future__ import annotations

from pathlib import Path

from grader.judging.check_pack import PackedExercise, find_exercise, find_packs
from grader.runtime.course_files import packaged_course


def packs_near(start: Path) -> dict[str, Path]:
    """Lesson id → check pack: the course around `start`, or the package's if there is none."""
    packaged = packaged_course()
    return find_packs(start) or (find_packs(packaged) if packaged else {})


def exercise_near(exercise_id: object, start: Path) -> PackedExercise:
    """The packed exercise of an id such as 03.2; a lesson that is not near `start` is the package's.

    Raises PackError with the fix if no exercise has the id.
    """
    packaged = packaged_course()
    if packaged and str(exercise_id).split(".", 1)[0] not in find_packs(start):
        start = packaged
    return find_exercise(exercise_id, start)
