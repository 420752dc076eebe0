"""What is said of events that a function should return and did not: where, and what is there."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any


def given_events_text(fields: Mapping[str, Any]) -> str:
    """What is wrong, by the fields of a GivenError (replay/learner_events.py)."""
    where = f"step {fields['step']}" if "step" in fields else ""
    where += f", event {fields['event']}" if "event" in fields else ""
    return _TEXTS[fields["fault"]](where, fields)


def _type_text(fields: Mapping[str, Any]) -> str:
    return "None" if fields["got"] is None else f"a value of type {fields['got']}"


def _dict_of_lists(names: list[str]) -> str:
    return "{" + ", ".join(f'"{name}": […]' for name in names) + "}"


_TEXTS: dict[str, Callable[[str, Mapping[str, Any]], str]] = {
    "not_a_list": lambda _, f: f"the function returned {_type_text(f)}, not a list of steps",
    "too_many": lambda _, f: f"there are {f['count']} {f['what']}; at most {f['most']} are played",
    "no_events": lambda *_: "there is no event in any step",
    "step_is_dict": lambda where, _: (
        f"{where} is a dict; a step is a list of events, even of one: [{{…}}]"
    ),
    "step": lambda where, f: (
        f"{where} is {_type_text(f)}; it needs a dict of lists: {_dict_of_lists(f['inputs'])}"
    ),
    "stream": lambda where, f: (
        f"{where} names the stream {f['got']}; there are {', '.join(f['inputs'])}"
    ),
    "no_list": lambda where, f: f"{where} holds {_type_text(f)} where a list of events is needed",
    "event": lambda where, f: f"{where} is {_type_text(f)}; an event is a dict of its columns",
    "column": lambda where, f: (
        f"{where} has a column {f['got']}; the columns are {', '.join(f['columns'])}"
    ),
    "value": lambda where, f: (
        f"{where}, {f['column']} is {f['got']}; the column is of type {f['type']}"
    ),
    "time": lambda where, f: f'{where}, {f["column"]} is {f["got"]}; a time is written "12:00:05"',
}
