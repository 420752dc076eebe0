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
    """What a function returned is not a list of steps of events; `fields` say where and why.

    - `fault`: not_a_list, too_many, no_events, step_is_dict, step, stream, no_list, event, column,
      value or time
    - `step` and `event`: numbers from 1
    - `got`: the type of what was found (None for None), or the value as Python writes it
    """

    def __init__(self, fault: str, **fields: Any):
        self.fields = {"fault": fault, **fields}
        super().__init__(repr(self.fields))


def scenario_of(given: Any, inputs: dict[str, StructType]) -> Scenario:
    """A scenario from a list of steps, each a list of events as dicts of the input's columns.

    With several inputs a step is a dict: the name of an input and the list of its events. A time
    is a datetime or a string (ISO 8601, or HH:MM:SS on DAY); without a zone it is UTC. Raises
    GivenError.
    """
    if not isinstance(given, list | tuple):
        raise GivenError("not_a_list", got=_type(given))
    if len(given) > MOST_STEPS:
        raise GivenError("too_many", what="steps", count=len(given), most=MOST_STEPS)
    events = [
        Event(number, name, _value(value, inputs[name], {"step": number, "event": place}))
        for number, step in enumerate(given, start=1)
        for name, of_input in _by_input(step, list(inputs), number).items()
        for place, value in enumerate(of_input, start=1)
    ]
    if not events:
        raise GivenError("no_events")
    if len(events) > MOST_EVENTS:
        raise GivenError("too_many", what="events", count=len(events), most=MOST_EVENTS)
    return Scenario(events, len(given))


def _by_input(step: Any, names: list[str], number: int) -> dict[str, list[Any]]:
    """The events of a step by the input that they go to."""
    if len(names) == 1:
        if isinstance(step, dict):
            raise GivenError("step_is_dict", step=number)
        step = {names[0]: step}
    if not isinstance(step, dict):
        raise GivenError("step", step=number, got=_type(step), inputs=names)
    for name, events in step.items():
        if name not in names:
            raise GivenError("stream", step=number, got=repr(name), inputs=names)
        if not isinstance(events, list | tuple):
            raise GivenError("no_list", step=number, got=_type(events))
    return step


def _value(value: Any, columns: StructType, place: dict[str, Any]) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise GivenError("event", **place, got=_type(value))
    types = {column.name: column.dataType for column in columns}
    for name in value:
        if name not in types:
            raise GivenError("column", **place, got=repr(name), columns=list(types))
    return {
        name: _plain(inner, types[name], {**place, "column": name}) for name, inner in value.items()
    }


def _plain(value: Any, kind: DataType, place: dict[str, Any]) -> Any:
    """A column's value as JSON holds it."""
    if value is None:
        return None
    if isinstance(kind, TimestampType | TimestampNTZType):
        return _time(value, place)
    fits = {
        StringType: isinstance(value, str),
        BooleanType: isinstance(value, bool),
        IntegralType: isinstance(value, int) and not isinstance(value, bool),
        NumericType: isinstance(value, int | float) and not isinstance(value, bool),
    }
    fit = next((fit for family, fit in fits.items() if isinstance(kind, family)), True)
    if not fit:
        raise GivenError("value", **place, got=repr(value), type=kind.simpleString())
    return value


def _time(value: Any, place: dict[str, Any]) -> str:
    try:
        if isinstance(value, str):
            text = f"{DAY}T{value}" if _OF_THE_DAY.fullmatch(value) else value
            value = datetime.fromisoformat(text.strip().replace("Z", "+00:00"))
        if not isinstance(value, datetime):
            raise ValueError
    except ValueError:
        raise GivenError("time", **place, got=repr(value)) from None
    if value.tzinfo is not None:
        value = value.astimezone(timezone.utc).replace(tzinfo=None)
    return f"{value.isoformat()}Z"


def _type(value: Any) -> str | None:
    return None if value is None else type(value).__name__
