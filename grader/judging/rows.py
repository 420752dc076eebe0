"""Rows compared as a fair teacher would: the order and the width of a number do not matter."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import datetime, timedelta, timezone
from typing import Any

Row = dict[str, Any]
Schema = list[dict[str, Any]]

_NUMBERS = {"byte", "short", "integer", "long", "float", "double"}
_PLAIN = re.compile(r"[^\s{}<>\"']+$")  # text that needs no quotes
PAIRED = 1000  # of more unexpected rows than these none is worth a look
NEARLY = 0.5  # what two rows have in common at least, to be told as one that is wrong
LIKE = 0.3  # the same, where both are of one step
ELSEWHERE = 0.2  # what a row of another step has to have in common beyond one of the same
_EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)
_TIME = re.compile(r"([+-]\d+|\d{4})-\d\d-\d\dT\d\d:\d\d:\d\d[\d.]*(Z|[+-]\d\d:?\d\d)?$")
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
    """In what way `got` is not `wanted`: a column that is missing, of another type, or too many."""
    have = {column["name"].lower(): column for column in got}
    faults = []
    for column in wanted:
        found = have.pop(column["name"].lower(), None)
        if found is None:
            names = ", ".join(c["name"] for c in got) or "no column"
            faults.append(f"column `{column['name']}` is missing (there are: {names})")
        elif family(found["type"]) != family(column["type"]):
            faults.append(
                f"column `{column['name']}` has type {type_text(found['type'])}, "
                f"expected {type_text(column['type'])}{_fields(found, column)}"
            )
    if have and wanted:
        spare = ", ".join(f"`{column['name']}`" for column in have.values())
        faults.append(f"the task names no column {spare}")
    return faults


def _fields(found: dict[str, Any], wanted: dict[str, Any]) -> str:
    """The fields of a struct that have the type that was wanted, such as those of a window."""
    kind = found["type"]
    if not isinstance(kind, dict) or kind["type"] != "struct":
        return ""
    fitting = [f["name"] for f in kind["fields"] if family(f["type"]) == family(wanted["type"])]
    names = " and ".join(f"`{found['name']}.{name}`" for name in fitting)
    return f" (that is the type of {names})" if names else ""


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
    if kind == "timestamp" and isinstance(value, str) and is_time(value):
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
    """Equal values; numbers with a part to a relative 1e-9, null equal to null, NaN to NaN."""
    if isinstance(a, bool) or isinstance(b, bool):
        return a is b
    if isinstance(a, int) and isinstance(b, int):
        return a == b
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


def compare(
    wanted: list[Row],
    got: list[Row],
    step_of: Callable[[Row], int] | None = None,
    name_of: Callable[[Row], object] | None = None,
) -> Difference:
    """Compare normal rows as bags; rows that are nearly the same are paired as `wrong`, nearest first.

    With `step_of` rows of one step may have less in common, and are nearer than those of two steps.
    Rows to which `name_of` gives two names (None is no name) are never paired.
    """
    missing, unexpected = _take_out(wanted, got)
    scored = []
    for place, row in enumerate(missing):
        for other, candidate in enumerate(unexpected[:PAIRED]):
            if name_of and _two_names(name_of(row), name_of(candidate)):
                continue
            apart = step_of is None or step_of(row) != step_of(candidate)
            likeness = _likeness(row, candidate)
            if likeness >= (NEARLY if apart else LIKE):
                scored.append((ELSEWHERE * apart - likeness, apart, place, other))
    pairs: dict[int, int] = {}
    for _, _, place, other in sorted(scored):
        if place not in pairs and other not in pairs.values():
            pairs[place] = other
    return Difference(
        [row for place, row in enumerate(missing) if place not in pairs],
        [row for other, row in enumerate(unexpected) if other not in pairs.values()],
        [(missing[place], unexpected[pairs[place]]) for place in sorted(pairs)],
    )


def _two_names(one: object, other: object) -> bool:
    return one is not None and other is not None and one != other


def _take_out(wanted: list[Row], got: list[Row]) -> tuple[list[Row], list[Row]]:
    left: dict[str, list[Row]] = {}
    for row in got:
        left.setdefault(_key(row), []).append(row)
    missing = []
    for row in wanted:
        equals = left.get(_key(row))
        if equals:
            equals.pop(0)  # the earliest: what came later is what came too often
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
    """How much two rows have in common, 0 to 1; 0 unless they agree in what tells rows apart.

    That is every window and some text, or a value as a whole: which topic a record went to tells
    nothing of the record.
    """
    if any(is_window(a[name]) and not same(a[name], b.get(name)) for name in a):
        return 0.0
    shares = {name: _share(a[name], b.get(name)) for name in a}
    tells = any(
        shares[name] > 0 and isinstance(a[name], str | dict) for name in a if name != "topic"
    )
    return sum(shares.values()) / len(a) if tells else 0.0


def _share(a: Any, b: Any) -> float:
    """1 for equal values, the share of equal fields for two structs that agree in a text or a window."""
    if same(a, b):
        return 1.0
    if not isinstance(a, dict) or not isinstance(b, dict) or is_window(a):
        return 0.0
    equal = [name for name in a if same(a[name], b.get(name))]
    if any(is_window(a[name]) and name not in equal for name in a):
        return 0.0
    told = any(
        is_window(a[name]) or (isinstance(a[name], str) and not is_time(a[name])) for name in equal
    )
    return len(equal) / len(a | b) if told else 0.0


def row_text(row: Row, *, days: bool = False) -> str:
    """A row for a person: `page=/home · window=12:00:00–12:05:00 · clicks=2`; `days` tells dates, too."""
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


def is_time(value: Any) -> bool:
    """Whether a value is a time as rows and events hold one: ISO 8601 text."""
    if not isinstance(value, str) or _TIME.match(value) is None:
        return False
    try:
        return bool(moment(value))
    except ValueError:  # the 30th of February
        return False


def is_window(value: Any) -> bool:
    """Whether a value is a stretch of time: a struct of two times, start and end."""
    return (
        isinstance(value, dict)
        and set(value) == {"start", "end"}
        and all(is_time(time) for time in value.values())
    )


def several_days(times: Iterable[str | None]) -> bool:
    """Whether ISO times lie on more than one day (in UTC), so that a clock alone does not tell them apart."""
    known = [time for time in times if time and not _beyond(time)]
    return len({moment(time).astimezone(timezone.utc).date() for time in known}) > 1


def rows_text(count: int) -> str:
    """`1 row`, `2 rows`."""
    return f"{count} row{'' if count == 1 else 's'}"


def clock(text: str | None, *, days: bool = False) -> str:
    """HH:MM:SS of an ISO time in UTC (with the fraction, if there is one), with its date if `days`.

    A date in the wrong century is always told: it is what a wrong unit of time looks like.
    """
    if text is None:
        return "none yet"
    if _beyond(text):
        return text
    time = moment(text).astimezone(timezone.utc)
    date = f"{time.date()} " if days or time.year < 2000 else ""
    fraction = f".{time.microsecond:06d}".rstrip("0") if time.microsecond else ""
    return f"{date}{time:%H:%M:%S}{fraction}"
