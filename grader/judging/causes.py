"""The event behind a wrong row, and where the watermark stood when it came."""

from __future__ import annotations

from typing import Any

from grader.judging.rows import Row, clock, micros
from grader.replay.recording import Recording
from grader.scenario import Event, Exercise, Scenario


def cause_of(row: Row, exercise: Exercise, scenario: Scenario, expected: Recording) -> str:
    """One sentence on the event that most likely made `row` differ; empty if none fits.

    Late events come first: they are what a watermark is about. The watermark is the one that
    the step began with, as late rows are judged by it.
    """
    related = [event for event in scenario.events if _belongs(event, row, exercise)]
    if not related:
        return ""
    late = [event for event in related if _lateness(event, exercise, expected) > 0]
    event = (late or related)[-1]
    watermark = expected.watermark_after(event.step - 1)
    shown = event.value if isinstance(event.value, str) else _short(event.value)
    said = f"Look at the event {shown} of step {event.step}"
    if event.note:
        said += f" ({event.note})"
    if watermark is None:
        if not any(batch.watermark for batch in expected.batches):
            return f"{said}."
        return f"{said}; there was no watermark yet when it came."
    said += f"; when it came, the watermark stood at {clock(watermark)}"
    behind = _lateness(event, exercise, expected)
    return f"{said}, so it is late by {_seconds(behind)}." if behind > 0 else f"{said}."


def _belongs(event: Event, row: Row, exercise: Exercise) -> bool:
    if set(row) == {"topic", "key", "value"}:  # a record that a writer sent
        value = row["value"]
        if value == event.value:
            return value is not None
        return isinstance(value, dict) and _belongs(event, value, exercise)
    if not isinstance(event.value, dict):
        return False
    given = {name.lower(): inner for name, inner in event.value.items()}
    shared = [n for n in row if isinstance(row[n], str) and n in given and _is_key(row[n])]
    if any(given[name] != row[name] for name in shared):
        return False
    window = next(
        (v for v in row.values() if isinstance(v, dict) and set(v) == {"start", "end"}), None
    )
    column = exercise.inputs[event.input].event_time
    time = given.get(column.lower()) if column else None
    if window is None or not isinstance(time, str):
        return bool(shared)
    try:
        return micros(window["start"]) <= micros(time) < micros(window["end"])
    except ValueError:
        return False


def _is_key(text: str) -> bool:
    return not (len(text) >= 19 and text[4:5] == "-" and text[10:11] == "T")


def _lateness(event: Event, exercise: Exercise, expected: Recording) -> int:
    """Microseconds by which the event's time is behind the watermark at its arrival."""
    column = exercise.inputs[event.input].event_time
    watermark = expected.watermark_after(event.step - 1)
    time = event.value.get(column) if column and isinstance(event.value, dict) else None
    if watermark is None or not isinstance(time, str):
        return 0
    try:
        return micros(watermark) - micros(time)
    except ValueError:
        return 0


def _seconds(microseconds: int) -> str:
    return f"{microseconds / 1_000_000:g} s"


def _short(value: dict[str, Any]) -> str:
    inner = ", ".join(
        f"{name}={clock(v) if isinstance(v, str) and not _is_key(v) else v}"
        for name, v in value.items()
    )
    return "{" + (inner if len(inner) <= 160 else inner[:157] + "…") + "}"
