"""Rows, values, types and figures as a person reads them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from typing import Any

from grader.judging.instants import clock, is_time, is_window
from grader.judging.rows import Row

_UNITS = (("hour", 3600), ("minute", 60), ("second", 1))
_PLAIN = re.compile(r"[^\s{}<>\"']+$")  # a string that needs no quotes


def row_text(row: Row, *, days: bool = False) -> str:
    """A row for a person: `page=/home · window=12:00:00–12:05:00 · clicks=2`; `days` adds dates."""
    return " · ".join(f"{name}={value_text(value, days=days)}" for name, value in row.items())


def value_text(value: Any, *, days: bool = False) -> str:
    if is_window(value):
        return f"{clock(value['start'], days=days)}–{clock(value['end'], days=days)}"
    if is_time(value):
        return clock(value, days=days)
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str) and not _PLAIN.match(value):
        return f"'{value}'"
    if isinstance(value, float) and value.is_integer():
        return f"{value:.1f}"
    if isinstance(value, dict | list):
        return json.dumps(value, ensure_ascii=False)
    return "null" if value is None else str(value)


def type_text(kind: Any) -> str:
    """A Spark type as it is written in DDL."""
    if not isinstance(kind, dict):
        return {"long": "bigint", "integer": "int", "short": "smallint"}.get(str(kind), str(kind))
    if kind["type"] == "struct":
        inner = ", ".join(f"{f['name']}: {type_text(f['type'])}" for f in kind["fields"])
        return f"struct<{inner}>"
    if kind["type"] == "array":
        return f"array<{type_text(kind['elementType'])}>"
    if kind["type"] == "map":
        return f"map<{type_text(kind['keyType'])}, {type_text(kind['valueType'])}>"
    return str(kind["type"])


def rows_text(count: int) -> str:
    """`1 row`, `2 rows`."""
    return f"{count} row{'' if count == 1 else 's'}"


def figure_text(figure: Any) -> str:
    """A figure for a person: integers without a fraction."""
    return f"{figure:,.0f}" if isinstance(figure, float) and figure.is_integer() else str(figure)


def names_text(names: Iterable[str]) -> str:
    """`` `a` and `b` ``."""
    return " and ".join(f"`{name}`" for name in names)


def duration_text(microseconds: int) -> str:
    """`10 minutes`, `1 second`, `2.5 seconds`: in the largest unit that gives an integer."""
    seconds = microseconds / 1_000_000
    name, length = next((u for u in _UNITS if seconds and seconds % u[1] == 0), ("second", 1))
    count = seconds / length
    return f"{count:g} {name}{'' if count == 1 else 's'}"
