"""A few letters that distinguish an event from its neighbors."""

from __future__ import annotations

from collections.abc import Callable

from grader.judging.instants import is_time
from grader.judging.rows import Row
from grader.judging.wording.value_text import value_text
from grader.scenario import Event

LABEL = 14  # letters


def labels_of(events: list[Event]) -> Callable[[Event], str]:
    """What distinguishes the events of an input in few letters: a string with several short values, or a number."""
    fields: dict[str, str | None] = {}
    for name in {event.input for event in events}:
        rows = [e.value for e in events if e.input == name and isinstance(e.value, dict)]
        fields[name] = _telling(rows, str) or _telling(rows, int | float)

    def label(event: Event) -> str:
        field = fields[event.input]
        if field is None or not isinstance(event.value, dict) or field not in event.value:
            return ""
        return value_text(event.value[field]).strip("'")

    return label


def _telling(rows: list[Row], kind: type | object) -> str | None:
    found: dict[str, list[object]] = {}
    for row in rows:
        for name, value in row.items():
            found.setdefault(name, []).append(value)
    for name, values in found.items():
        fit = [isinstance(v, kind) and not is_time(v) and not isinstance(v, bool) for v in values]  # type: ignore[arg-type]
        if any(fit) and all(f or v is None for f, v in zip(fit, values, strict=True)):
            texts = {value_text(value) for value in values}
            if len(texts) >= min(2, len(rows)) and max(map(len, texts)) <= LABEL:
                return name
    return None
