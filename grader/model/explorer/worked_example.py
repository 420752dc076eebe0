"""The query of a worked example, from the code that its notebook shows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from grader.judging.check_pack import PackedExercise


def example_of(packed: PackedExercise) -> Callable[..., Any]:
    """The example's function; raises TypeError for an exercise, whose function is the learner's."""
    if packed.exercise.kind != "example":
        task = packed.exercise
        raise TypeError(
            f"grader.explore({task.id!r}) needs your function: "
            f"grader.explore({task.id!r}, {task.answer})"
        )
    names: dict[str, Any] = {"__name__": "example"}
    exec(compile(packed.cell, packed.exercise.id, "exec", dont_inherit=True), names)
    return names[packed.exercise.answer]  # type: ignore[no-any-return]
