"""An event's own time, as the exercise names its column."""

from __future__ import annotations

from grader.judging.instants import micros
from grader.scenario import Event, Exercise
from grader.scenario.recording import Plan


def event_micros(event: Event, exercise: Exercise) -> int | None:
    """An event's own time in microseconds since 1970; None if it has none that can be read."""
    column = exercise.inputs[event.input].event_time
    time = event.value.get(column) if column and isinstance(event.value, dict) else None
    try:
        return micros(time) if isinstance(time, str) else None
    except ValueError:
        return None


def follows_time_of(plan: Plan, event: Event, exercise: Exercise) -> bool:
    """Whether a watermark of the query is of an event's own column, as far as the plan shows.

    A watermark on a different column has nothing to do with the event's time.
    """
    column = exercise.inputs[event.input].event_time
    operators = plan.followed or [plan.watermarks]
    return column is not None and (
        not plan.watermarks or any(column in columns for columns in operators)
    )
