"""Small changes of an exercise's events; one of them may show how an answer differs from the solution."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime, timedelta, timezone
from typing import Any

from grader.judging.instants import moment
from grader.scenario import Event, Scenario

_DURATION = re.compile(r"\b(\d+)\s+(second|minute|hour|day)s?\b", re.I)
_NUMBER = re.compile(r"(?<![\w.])\d[\d_]*(?![\w.])")
_SECONDS = {"second": 1, "minute": 60, "hour": 3600, "day": 86400}


@dataclass(frozen=True)
class Idea:
    """One small change: The `event` is inserted after place `after`, or replaces the one at `instead`;
    without it, that one is removed. Places count the scenario's events from 0."""

    what: str
    event: Event | None = None
    after: int = -1
    instead: int | None = None

    @property
    def adds(self) -> bool:
        return self.instead is None


def changed(scenario: Scenario, ideas: list[Idea]) -> Scenario:
    """The scenario with these changes; the number of steps stays."""
    put_in: dict[int, list[Event]] = {}
    instead: dict[int, Event | None] = {}
    for idea in ideas:
        if idea.adds and idea.event:
            put_in.setdefault(idea.after, []).append(idea.event)
        elif idea.instead is not None:
            instead[idea.instead] = idea.event
    events = []
    for place, event in enumerate(scenario.events):
        kept = instead.get(place, event)
        events += ([kept] if kept else []) + put_in.get(place, [])
    return Scenario(events, scenario.steps)


def ideas_of(scenario: Scenario, solution: str) -> list[Idea]:
    """All changes worth a try: durations and numbers of the solution say where the edges are."""
    durations = sorted({int(n) * _SECONDS[unit.lower()] for n, unit in _DURATION.findall(solution)})
    numbers = sorted({int(n.replace("_", "")) for n in _NUMBER.findall(solution)})
    found: list[Idea] = []
    seen: set[str] = set()

    def note(idea: Idea) -> None:
        mark = json.dumps([idea.instead, idea.event.to_line() if idea.event else None])
        if mark not in seen:
            seen.add(mark)
            found.append(idea)

    for place, event in enumerate(scenario.events):
        for what, other in _others(event, scenario, durations, numbers):
            note(Idea(what, other, _last_of(scenario, other.step)))
        if event.step < scenario.steps:
            later = replace(event, step=event.step + 1)
            note(Idea("the same again in the next step", later, _last_of(scenario, later.step)))
        note(Idea("one event gone", None, instead=place))
        for what, other in _moved(event, durations):
            note(Idea(what, other, instead=place))
    return found


def _last_of(scenario: Scenario, step: int) -> int:
    places = [n for n, event in enumerate(scenario.events) if event.step <= step]
    return places[-1] if places else -1


def _others(
    event: Event, scenario: Scenario, durations: list[int], numbers: list[int]
) -> Iterator[tuple[str, Event]]:
    """Events like this one that could be added to it."""
    yield "the same event twice", event
    if not isinstance(event.value, dict) or set(event.value) == {"base64"}:
        return
    for field, value in event.value.items():
        for what, new in _values(field, value, scenario, durations, numbers):
            yield f"{field} {what}", replace(event, value={**event.value, field: new}, note="")
        rest = {name: kept for name, kept in event.value.items() if name != field}
        yield f"{field} missing", replace(event, value=rest, note="")


def _values(
    field: str, value: Any, scenario: Scenario, durations: list[int], numbers: list[int]
) -> Iterator[tuple[str, Any]]:
    if value is not None:
        yield "null", None
    time = _time(value)
    if time is not None:
        newest = max(t for t in (_time(e.value.get(field)) for e in _dicts(scenario)) if t)
        for seconds in _edges(time, durations):
            moved = time + timedelta(seconds=seconds)
            if moved <= newest:  # one that is ahead of all would close every window
                yield f"moved by {seconds} s", _text(moved)
    elif isinstance(value, bool):
        yield "the other way", not value
    elif isinstance(value, (int, float)):
        for new in {n + d for n in numbers for d in (-1, 0, 1)} | {value + 1, value - 1, 0}:
            if new != value and abs(new) < 2**31:
                yield f"{new}", new
    elif isinstance(value, str):
        known = {str(e.value.get(field)) for e in _dicts(scenario)} - {value, "None"}
        for text in [*sorted(known)[:2], value + "x"]:
            yield f"{text!r}", text


def _moved(event: Event, durations: list[int]) -> Iterator[tuple[str, Event]]:
    """This event itself at another time, by a second or to an edge."""
    if isinstance(event.value, dict):
        for field, value in event.value.items():
            time = _time(value)
            if time is not None:
                for seconds in _edges(time, durations):
                    new = {**event.value, field: _text(time + timedelta(seconds=seconds))}
                    yield f"{field} moved by {seconds} s", replace(event, value=new)


def _edges(time: datetime, durations: list[int]) -> list[int]:
    """How far, in seconds: a second, a duration, and to the edge of a window of that length."""
    found = {1, -1}
    for length in durations:
        into = int(time.timestamp()) % length
        for edge in (length, -length, -into, length - into):
            found |= {edge, edge - 1, edge + 1}
    return sorted(found - {0}, key=abs)


def _dicts(scenario: Scenario) -> list[Event]:
    return [event for event in scenario.events if isinstance(event.value, dict)]


def _time(value: Any) -> datetime | None:
    if not isinstance(value, str) or not re.match(r"\d{4}-\d\d-\d\dT", value):
        return None
    return moment(value)


def _text(time: datetime) -> str:
    return time.astimezone(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


def diff_lines(scenario: Scenario, ideas: list[Idea]) -> list[str]:
    """The changes as removed (-) and added (+) lines of public.jsonl, with the place."""
    lines = []
    for idea in ideas:
        if idea.instead is not None:
            lines.append(f"- line {idea.instead + 1}: {_line(scenario.events[idea.instead])}")
        if idea.event:
            place = idea.instead + 1 if idea.instead is not None else idea.after + 2
            lines.append(f"+ line {place}: {_line(idea.event)}   ({idea.what})")
    return lines


def _line(event: Event) -> str:
    return json.dumps(event.to_line(), ensure_ascii=False)
