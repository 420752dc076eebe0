"""Events that a function should return and did not, in words: where, and what is there."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from grader.judging.wording.sentences import sentence

_VALUES = ("column", "value", "time", "stream")  # faults whose `got` is a value, not its type


def given_events_text(fields: Mapping[str, Any]) -> str:
    """What is wrong, by the fields of a GivenError (replay/learner_events.py)."""
    values = dict(fields)
    places = [place for place in ("step", "event") if place in values]
    values["where"] = ", ".join(f"{place} {values[place]}" for place in places)
    inputs = values.get("inputs", ())
    values["inputs"] = ", ".join(inputs)
    values["shape"] = "{" + ", ".join(f'"{name}": […]' for name in inputs) + "}"
    values["columns"] = ", ".join(values.get("columns", ()))
    if values["fault"] not in _VALUES and "got" in values:
        got = values["got"]
        values["got"] = "None" if got is None else f"a value of type {got}"
    return sentence(f"events.{values['fault']}", **values)
