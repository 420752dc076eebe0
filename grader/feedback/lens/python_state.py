"""What a learner's own function keeps for each group: its values by step, and when they expire."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from grader.feedback.lens.event_marks import axis_micros
from grader.feedback.lens.spans import Span
from grader.feedback.lens.state_rows import state_after
from grader.judging.rows import Row, same
from grader.judging.wording.value_text import value_text
from grader.scenario import Exercise, Scenario
from grader.scenario.recording import Recording

MOST = 34  # letters of a group's values
TIMERS = "timers"  # the name under which replay records them


@dataclass
class _Group:
    """The state of one group after a step. `goes` are the times of its timeout, timers or TTL."""

    key: Row
    values: dict[str, list[str]] = field(default_factory=dict)
    goes: list[float] = field(default_factory=list)
    fades: bool = False

    def text(self) -> str:
        due = {f"{time / 1000:.0f}" for time in self.goes}  # the span's flags show these
        shown = {name: values for name, values in self.values.items() if not set(values) <= due}
        field_texts = [
            f"{name} {', '.join(values)}" if len(shown) > 1 and name else ", ".join(values)
            for name, values in shown.items()
        ]
        whole = ": ".join(
            part
            for part in (" ".join(map(value_text, self.key.values())), " · ".join(field_texts))
            if part
        )
        return whole if len(whole) <= MOST else f"{whole[: MOST - 1]}…"


def own_spans(exercise: Exercise, scenario: Scenario, recording: Recording) -> list[Span]:
    """A span for each group and step, from its newest event to where its state expires.

    A group without a timeout, timer or TTL has a span without length. The `kind` is own, or fading
    if a TTL ends it. The text is the key of the span; the lane is the one of its group.
    """
    spans = []
    times = _Times(exercise, scenario)
    for step in range(1, recording.steps + 1):
        for group in _groups(state_after(recording, step)):
            newest = _newest(times.of(group.key), step)
            start = newest if newest is not None else min(group.goes, default=None)
            if start is None:
                continue
            end = max([start, *group.goes])
            spans.append(
                Span(
                    min(start, end),
                    end,
                    step,
                    step,
                    (group.text(),),
                    kind="fading" if group.fades else "own",
                    lane=tuple(map(str, group.key.values())),
                    marks=tuple(group.goes),
                )
            )
    return spans


def _groups(rows: list[Row]) -> list[_Group]:
    """State rows by group. Which columns are the key: all that variables share, else the first."""
    own = [row for row in rows if "variable" in row or "groupState" in row]
    keys = _key_columns(own)
    groups: dict[str, _Group] = {}
    for row in own:
        key = {name: row[name] for name in keys if name in row}
        group = groups.setdefault(str(key), _Group(key))
        _add(group, {name: value for name, value in row.items() if name not in keys})
    return list(groups.values())


def _key_columns(rows: list[Row]) -> list[str]:
    by_variable = {row.get("variable"): list(row) for row in rows}
    if not rows or None in by_variable:  # applyInPandasWithState: all but the state and its timeout
        return [n for n in (rows[0] if rows else ()) if n not in ("groupState", "timeoutTimestamp")]
    first, *others = by_variable.values()
    columns = [name for name in first if name != "variable"]
    shared = [name for name in columns if all(name in other for other in others)]
    return shared if others else columns[:1]


def _add(group: _Group, row: Row) -> None:
    variable = str(row.pop("variable", ""))
    if variable == TIMERS:
        group.goes.append(row["expiration_timestamp_ms"] * 1000.0)
        return
    for name in ("timeoutTimestamp", "ttlExpirationMs"):
        until = row.pop(name, None)
        if isinstance(until, int | float) and until > 0:
            group.goes.append(until * 1000.0)
            group.fades |= name == "ttlExpirationMs"
    kept = row.pop("groupState", None)
    values = list((kept if isinstance(kept, dict) else row).values())
    group.values.setdefault(variable, []).append(" ".join(map(_short, values)))


def _short(value: Any) -> str:
    return value_text(value).strip("'")


def _newest(times: list[tuple[int, float]], step: int) -> float | None:
    """The time of the newest of a group's events that came by a step."""
    return max((time for arrival, time in times if arrival <= step), default=None)


class _Times:
    """The steps and times of the events of a group, by its key: each event is examined once per group."""

    def __init__(self, exercise: Exercise, scenario: Scenario):
        timed = [
            (event.step, axis_micros(event, exercise, scenario), event.value)
            for event in scenario.events
        ]
        self._events = [
            (step, time, list(value.values()))
            for step, time, value in timed
            if time is not None and isinstance(value, dict)
        ]
        self._found: dict[str, list[tuple[int, float]]] = {}

    def of(self, key: Row) -> list[tuple[int, float]]:
        found = self._found.get(str(key))
        if found is None:
            found = self._found[str(key)] = [
                (step, time)
                for step, time, values in self._events
                if all(any(same(kept, value) for value in values) for kept in key.values())
            ]
        return found
