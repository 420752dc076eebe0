"""Hints as a ladder: each call goes one step, which is remembered; after a pass there is the discussion."""

from __future__ import annotations

from pathlib import Path

from grader.feedback.display import Display
from grader.judging.check_pack import PackedExercise
from grader.learner import progress
from grader.learner.course_packs import exercise_near


def hint(exercise_id: str) -> None:
    """Show the next hint of an exercise; the last one stays. After the exercise is passed there is no hint."""
    packed = exercise_near(exercise_id, Path.cwd())
    if progress.passed(exercise_id):
        where = (
            " Its solution is discussed below the check that passed; check again to read it."
            if packed.discussion
            else ""
        )
        Display().text(f"You have passed {exercise_id}.{where}")
        return
    total = len(packed.hints)
    if not total:
        Display().text(f"{exercise_id} has no hints.")
        return
    number = min(progress.hints_seen(exercise_id) + 1, total)
    progress.remember_hint(exercise_id, number)
    more = "" if number < total else " That was the last one."
    Display().text(f"Hint {number} of {total} for {exercise_id}: {packed.hints[number - 1]}{more}")


def show_discussion(packed: PackedExercise) -> None:
    """Show what the author says about the solution; meant for learners who have passed."""
    heading = f"**The solution of {packed.exercise.id}, discussed**"
    Display().markdown(f"{heading}\n\n{packed.discussion}")
