"""The recording of a play as the trusted side takes it: what this side knows is not taken from a runner."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

from grader.judging.play import Play
from grader.scenario import Exercise, scenario_from_lines
from grader.scenario.recording import Failure, Recording

MOST_STEPS = 12  # of events that an answer gives, as the replay of them has it


def played(exercise: Exercise, play: Play, data: dict[str, Any]) -> Play:
    """The play with the recording that a runner left of it. Raises anything for data that are none.

    What an exception says may hold hidden events, so of those only the kind is kept.
    """
    recording = Recording.from_dict(data)
    recording.variant = play.variant.name
    recording.steps = _steps(exercise, play, recording)
    recording.seconds = float(recording.seconds)
    for batch in recording.batches:
        batch.rows = [dict(row) for row in batch.rows]
    if play.hidden and recording.failure:
        kind = re.match(r"[A-Za-z]{1,40}(Error|Exception)\b", recording.failure.message)
        message = kind.group() if kind else ""
        recording.failure = replace(
            recording.failure, message=message, detail="", fields={"hidden": True}
        )
    return replace(play, actual=recording)


def timed_out(exercise: Exercise, play: Play) -> Play:
    """A play that had to be killed, with what is known about it."""
    failure = Failure("timeout", fields={"seconds": exercise.timeout})
    name, steps = play.variant.name, play.variant.scenario.steps
    recording = Recording(exercise.id, name, steps, failure=failure, seconds=exercise.timeout)
    return replace(play, actual=recording)


def _steps(exercise: Exercise, play: Play, recording: Recording) -> int:
    """How many steps a play has: as ordered, or as the events have that an answer gave."""
    if exercise.has_scenario or recording.given is None:
        recording.given = None
        return play.variant.scenario.steps
    steps = scenario_from_lines(recording.given).steps
    if steps > MOST_STEPS:
        raise ValueError(f"{steps} steps were given")
    return steps
