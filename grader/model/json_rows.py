"""The JSON in a Kafka record as a row: what `from_json` makes of it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from grader.model.timestamps import moment
from grader.model.unsupported import NotModelled
from grader.scenario import Event


def row_of(event: Event, columns: Mapping[str, str]) -> dict[str, Any]:
    """The columns of one record; all are null if it is not JSON (from_json is PERMISSIVE).

    Raises NotModelled if a value's type differs from its column's: Spark has its own rules.
    """
    payload = event.payload()
    given: Any = {}
    if payload is not None:
        try:
            given = json.loads(payload)
        except ValueError:
            given = {}
    if not isinstance(given, dict):
        raise NotModelled(f"a record that is JSON and no object: {given!r}")
    return {name: _value(given.get(name), type) for name, type in columns.items()}


def _value(given: Any, type: str) -> Any:
    if given is None:
        return None
    match type, given:
        case "string", str():
            return given
        case "boolean", bool():
            return given
        case "int" | "bigint", int() if not isinstance(given, bool):
            return given
        case "double", int() | float() if not isinstance(given, bool):
            return float(given)
        case "timestamp", str():
            return moment(given) if given[:1].isdigit() else None  # PERMISSIVE: no time is null
    raise NotModelled(f"the value {given!r} in a column of type {type}")
