"""Rows compared as a fair teacher would: no matter the order, the integer width or a spare column."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime, timedelta, timezone
from typing import Any

Row = dict[str, Any]
Schema = list[dict[str, Any]]

_NUMBERS = {"byte", "short", "integer", "long", "float", "double"}
_EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)
_FAR_YEAR = re.compile(r"[+-]\d{4,}-")


def family(kind: Any) -> Any:
    """The family of a Spark type (as `jsonValue` gives it): numbers are one, so are timestamps."""
    if isinstance(kind, dict):
        if kind["type"] == "struct":
            return {f["name"].lower(): family(f["type"]) for f in kind["fields"]}
        if kind["type"] == "array":
            return [family(kind["elementType"])]
        if kind["type"] == "map":
            return ("map", family(kind["keyType"]), family(kind["valueType"]))
        return kind["type"]
    name = str(kind)
    if name in _NUMBERS or name.startswith("decimal"):
        return "number"
    if name.startswith(("varchar", "char", "string")):
        return "text"
    return "timestamp" if name in ("timestamp", "timestamp_ntz") else name


def schema_faults(wanted: Schema, got: Schema) -> list[str]:
    """What keeps `got` from holding `wanted`; spare columns are no fault."""
    have = {column["name"].lower(): column for column in got}
    faults = []
    for column in wanted:
        found = have.get(column["name"].lower())
        if found is None:
            names = ", ".join(c["name"] for c in got) or "no column"
            faults.append(f"column `{column['name']}` is missing (there are: {names})")
        elif family(found["type"]) != family(column["type"]):
            faults.append(
                f"column `{column['name']}` has type {type_text(found['type'])}, "
                f"expected {type_text(column['type'])}"
            )
    return faults


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


def normal_rows(rows: Iterable[Row], schema: Schema) -> list[Row]:
    """Rows cut to the columns of `schema`, names lower case, values comparable."""
    columns = [(column["name"].lower(), family(column["type"])) for column in schema]
    normal = []
    for row in rows:
        lower = {name.lower(): value for name, value in row.items()}
        normal.append({name: _normal(lower.get(name), kind) for name, kind in columns})
    return normal


def _normal(value: Any, kind: Any) -> Any:
    if value is None:
        return None
    if isinstance(kind, dict) and isinstance(value, dict):
        lower = {name.lower(): inner for name, inner in value.items()}
        return {name: _normal(lower.get(name), inner) for name, inner in kind.items()}
    if isinstance(kind, list) and isinstance(value, list):
        return [_normal(inner, kind[0]) for inner in value]
    if isinstance(kind, tuple) and isinstance(value, dict):
        return {name: _normal(inner, kind[2]) for name, inner in value.items()}
    if kind == "timestamp" and isinstance(value, str):
        return moment_text(value)
    return value


def moment(text: str) -> datetime:
    """An ISO 8601 time as an instant; without a zone it is taken as UTC.

    Spark's calendar is wider than Python's: a time beyond it becomes the nearest that Python knows.
    """
    if _beyond(text):
        nearest = datetime.max if text.startswith("+") else datetime.min
        return nearest.replace(tzinfo=timezone.utc)
    parsed = datetime.fromisoformat(text.replace("Z", "+00:00"))
    return parsed if parsed.tzinfo else parsed.replace(tzinfo=timezone.utc)


def moment_text(text: str) -> str:
    """The same instant, always written the same way (UTC, microseconds where there are any)."""
    if _beyond(text):
        return text
    return moment(text).astimezone(timezone.utc).isoformat().replace("+00:00", "Z")


def _beyond(text: str) -> bool:
    """Whether a year has more digits than four, as milliseconds read as seconds make it."""
    return _FAR_YEAR.match(text) is not None


def micros(text: str) -> int:
    """Microseconds since 1970."""
    return (moment(text) - _EPOCH) // timedelta(microseconds=1)


def same(a: Any, b: Any) -> bool:
    """Equal values; numbers to a relative 1e-9, null equal to null, NaN to NaN."""
    if isinstance(a, bool) or isinstance(b, bool):
        return a is b
    if isinstance(a, int | float) and isinstance(b, int | float):
        return math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-12)
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(same(a[name], b[name]) for name in a)
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(map(same, a, b))
    return type(a) is type(b) and a == b


@dataclass
class Difference:
    """How two bags of rows differ. `wrong` pairs an expected row with the one that came instead."""

    missing: list[Row] = field(default_factory=list)
    unexpected: list[Row] = field(default_factory=list)
    wrong: list[tuple[Row, Row]] = field(default_factory=list)

    def __bool__(self) -> bool:
        return bool(self.missing or self.unexpected or self.wrong)


def compare(wanted: list[Row], got: list[Row]) -> Difference:
    """Compare normal rows as bags; rows that are nearly the same are paired as `wrong`."""
    missing, unexpected = _take_out(wanted, got)
    wrong = []
    for row in list(missing):
        scored = [(_likeness(row, other), index) for index, other in enumerate(unexpected)]
        best, index = max(scored, default=(0.0, -1), key=lambda pair: (pair[0], -pair[1]))
        if best >= 0.5:
            wrong.append((row, unexpected.pop(index)))
            missing.remove(row)
    return Difference(missing, unexpected, wrong)


def _take_out(wanted: list[Row], got: list[Row]) -> tuple[list[Row], list[Row]]:
    left: dict[str, list[Row]] = {}
    for row in got:
        left.setdefault(_key(row), []).append(row)
    missing = []
    for row in wanted:
        equals = left.get(_key(row))
        if equals:
            equals.pop()
        else:
            missing.append(row)
    unexpected = [row for rows in left.values() for row in rows]
    # what the quick look-up by text parted may still be equal to a relative 1e-9
    for row in list(missing):
        twin = next((other for other in unexpected if same(row, other)), None)
        if twin is not None:
            missing.remove(row)
            unexpected.remove(twin)
    return missing, unexpected


def _key(row: Row) -> str:
    return json.dumps(row, sort_keys=True, default=str)


def _likeness(a: Row, b: Row) -> float:
    """The share of equal columns; rows must agree in a window or a text to be alike at all."""
    equal = [name for name in a if same(a[name], b.get(name)) and a[name] is not None]
    tells = any(isinstance(a[name], dict | str) for name in equal)
    windows = [n for n in a if isinstance(a[n], dict)]
    if not tells or any(name not in equal for name in windows):
        return 0.0
    return len(equal) / len(a)


def row_text(row: Row) -> str:
    """A row for a person: `page=/home · window=12:00:00–12:05:00 · clicks=2`."""
    return " · ".join(f"{name}={value_text(value)}" for name, value in row.items())


def value_text(value: Any) -> str:
    if isinstance(value, dict) and set(value) == {"start", "end"}:
        return f"{clock(value['start'])}–{clock(value['end'])}"
    if isinstance(value, str) and len(value) >= 19 and value[4:5] == "-" and value[10:11] == "T":
        return clock(value)
    if isinstance(value, float) and value.is_integer():
        return f"{value:.1f}"
    if isinstance(value, dict | list):
        return json.dumps(value, ensure_ascii=False)
    return "null" if value is None else str(value)


def clock(text: str | None) -> str:
    """HH:MM:SS of an ISO time in UTC (with the fraction, if there is one).

    A date in the wrong century is told, too: it is what a wrong unit of time looks like.
    """
    if text is None:
        return "none yet"
    if _beyond(text):
        return text
    time = moment(text).astimezone(timezone.utc)
    date = f"{time.date()} " if time.year < 2000 else ""
    fraction = f".{time.microsecond:06d}".rstrip("0") if time.microsecond else ""
    return f"{date}{time:%H:%M:%S}{fraction}"
