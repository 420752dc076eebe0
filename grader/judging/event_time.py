"""An event's own time, as the exercise names its column."""

from __future__ import annotations

from grader.judging.instants import micros
from grader.scenario import Event, Exercise


def event_micros(event: Event, exercise: Exercise) -> int | None:
    """An event's own time in microseconds since 1970; None where it has none that can be read."""
    column = exercise.inputs[event.input].event_time
    time = event.value.get(column) if column and isinstance(event.value, dict) else None
    try:
        return micros(time) if isinstance(time, str) else None
    except ValueError:
        return None
