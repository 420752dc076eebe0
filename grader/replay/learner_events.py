"""Events that a learner's function returns, made into a scenario."""

from __future__ import annotations

import re
from datetime import datetime, timezone
from typing import Any

from pyspark.sql.types import (
    BooleanType,
    DataType,
    IntegralType,
    NumericType,
    StringType,
    StructType,
    TimestampNTZType,
    TimestampType,
)

from grader.scenario import Event, Scenario

DAY = "2026-03-01"  # of a time without a date
MOST_STEPS = 12
MOST_EVENTS = 50
_OF_THE_DAY = re.compile(r"\d\d:\d\d(:\d\d(\.\d+)?)?")


class GivenError(ValueError):
    """What a function returned is no list of steps of events; the message says where and why."""


def scenario_of(given: Any, inputs: dict[str, StructType]) -> Scenario:
    """A scenario from a list of steps, each a list of events as dicts of the input's columns.

    With several inputs a step is a dict: the name of an input and the list of its events. A time
    is a datetime or a string (ISO 8601, or HH:MM:SS on DAY); without a zone it is UTC. Raises
    GivenError.
    """
    if not isinstance(given, list | tuple):
        raise GivenError(f"the function returned {_kind(given)}, not a list of steps")
    if len(given) > MOST_STEPS:
        raise GivenError(f"there are {len(given)} steps; at most {MOST_STEPS} are played")
    events = [
        Event(number, name, _value(value, inputs[name], f"step {number}, event {place}"))
        for number, step in enumerate(given, start=1)
        for name, of_input in _by_input(step, list(inputs), number).items()
        for place, value in enumerate(of_input, start=1)
    ]
    if not events:
        raise GivenError("there is no event in any step")
    if len(events) > MOST_EVENTS:
        raise GivenError(f"there are {len(events)} events; at most {MOST_EVENTS} are played")
    return Scenario(events, len(given))


def _by_input(step: Any, names: list[str], number: int) -> dict[str, list[Any]]:
    """The events of a step by the input that they go to."""
    where = f"step {number}"
    if len(names) == 1:
        if isinstance(step, dict):
            raise GivenError(f"{where} is a dict; a step is a list of events, even of one: [{{…}}]")
        step = {names[0]: step}
    if not isinstance(step, dict):
        raise GivenError(f"{where} is {_kind(step)}; it needs a dict of lists: {_shape(names)}")
    for name, events in step.items():
        if name not in names:
            raise GivenError(f"{where} names the stream {name!r}; there are {', '.join(names)}")
        if not isinstance(events, list | tuple):
            raise GivenError(f"{where} holds {_kind(events)} where a list of events is needed")
    return step


def _value(value: Any, columns: StructType, where: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise GivenError(f"{where} is {_kind(value)}; an event is a dict of its columns")
    types = {column.name: column.dataType for column in columns}
    for name in value:
        if name not in types:
            raise GivenError(f"{where} has a column {name!r}; the columns are {', '.join(types)}")
    return {name: _plain(inner, types[name], f"{where}, {name}") for name, inner in value.items()}


def _plain(value: Any, kind: DataType, where: str) -> Any:
    """A column's value as JSON holds it."""
    if value is None:
        return None
    if isinstance(kind, TimestampType | TimestampNTZType):
        return _time(value, where)
    fits = {
        StringType: isinstance(value, str),
        BooleanType: isinstance(value, bool),
        IntegralType: isinstance(value, int) and not isinstance(value, bool),
        NumericType: isinstance(value, int | float) and not isinstance(value, bool),
    }
    fit = next((fit for family, fit in fits.items() if isinstance(kind, family)), True)
    if not fit:
        raise GivenError(f"{where} is {value!r}; the column is of type {kind.simpleString()}")
    return value


def _time(value: Any, where: str) -> str:
    try:
        if isinstance(value, str):
            text = f"{DAY}T{value}" if _OF_THE_DAY.fullmatch(value) else value
            value = datetime.fromisoformat(text.strip().replace("Z", "+00:00"))
        if not isinstance(value, datetime):
            raise ValueError
    except ValueError:
        raise GivenError(f'{where} is {value!r}; a time is written "12:00:05"') from None
    if value.tzinfo is not None:
        value = value.astimezone(timezone.utc).replace(tzinfo=None)
    return f"{value.isoformat()}Z"


def _kind(value: Any) -> str:
    return "None" if value is None else f"a value of type {type(value).__name__}"


def _shape(names: list[str]) -> str:
    return "{" + ", ".join(f'"{name}": […]' for name in names) + "}"
