"""Events that are in no output row, if output rows are input events."""

from __future__ import annotations

from grader.feedback.lens.operator_table import only_deduplicates
from grader.judging.instants import is_time, micros
from grader.judging.rows import Row, same
from grader.scenario import Event, Scenario
from grader.scenario.recording import Recording


def silent_events(scenario: Scenario, recording: Recording) -> set[int]:
    """Events (by identity) that are in no output row, if rows are events: filters, duplicates.

    Empty if a row cannot be traced to an event: then the run does not show it.
    """
    if not only_deduplicates(recording):
        return set()
    found: set[int] = set()
    for step in range(1, recording.steps + 1):
        rows = [_flat(row) for batch in recording.of_step(step) for row in batch.rows]
        traced = _traced(scenario.of_step(step), rows)
        if traced is None:
            return set()
        found |= traced
    return found if len(found) < len(scenario.events) else set()


def _flat(row: Row) -> Row:
    value = row.get("value")
    return {**row, **value} if isinstance(value, dict) else row


def _traced(events: list[Event], rows: list[Row]) -> set[int] | None:
    """The events that no row is left for; None if a row comes from none, or from one of several that differ."""
    left = list(rows)
    silent: list[Event] = []
    known: list[Event] = []
    for event in events:
        value = event.value if isinstance(event.value, dict) else {}
        row = next((row for row in left if _of(row, value)), None)
        if row is None:
            silent.append(event)
        else:
            left.remove(row)
            known.append(event)
    if left:
        return None
    for event in silent:
        value = event.value if isinstance(event.value, dict) else {}
        if any(_of(row, value) for row in rows) and all(other.value != value for other in known):
            return None
    return {id(event) for event in silent}


def _of(row: Row, value: Row) -> bool:
    """Whether a row agrees with an event in all columns that both have."""
    shared = row.keys() & value.keys()
    return bool(shared) and all(equal(row[name], value[name]) for name in shared)


def equal(a: object, b: object) -> bool:
    if isinstance(a, str) and isinstance(b, str) and is_time(a) and is_time(b):
        return micros(a) == micros(b)
    return same(a, b)
