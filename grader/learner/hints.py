"""Hints as a ladder: one step a call, remembered."""

from __future__ import annotations

from pathlib import Path

from grader.feedback.show import Display
from grader.judging.pack import find_exercise
from grader.learner import progress


def hint(exercise_id: str) -> None:
    """Show the next hint of an exercise; the last one stays."""
    packed = find_exercise(exercise_id, Path.cwd())
    total = len(packed.hints)
    if not total:
        Display().text(f"{exercise_id} has no hints.")
        return
    number = min(progress.hints_seen(exercise_id) + 1, total)
    progress.remember_hint(exercise_id, number)
    more = "" if number < total else " That was the last one."
    Display().text(f"Hint {number} of {total} for {exercise_id}: {packed.hints[number - 1]}{more}")
