"""A function of plain Python, called as the lab calls it."""

from __future__ import annotations

from typing import Any

from grader.page.answer_program import Program
from grader.scenario import Exercise, Variant
from grader.scenario.recording import Recording


def play_calls(
    exercise: Exercise, program: Program, variant: Variant, subject: Any = None
) -> Recording:
    """The recording of an exercise whose check only calls the function.

    The lab's own code calls it. The time limit is that of the worker that this runs in.
    """
    from grader.replay.called_kinds import CALLED_KINDS
    from grader.replay.failures import Stop

    run = CALLED_KINDS[exercise.returns](None, exercise, program.thaw(None), variant, subject)  # type: ignore[arg-type]
    run.answer = program  # type: ignore[assignment]
    try:
        run.call()
    except Stop as stop:
        stop.failure.own_writer = run.own_writer
        run.recording.failure = stop.failure
    return run.recording
