"""Compares rows as a fair teacher would: order does not matter, nor does the width of a number."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from grader.judging.instants import is_time, is_window, moment_text
from grader.judging.schema import Schema, family

Row = dict[str, Any]

PAIRED = 1000  # of more unexpected rows than these none is worth a look
NEARLY = 0.5  # what two rows have in common at least, to be one that is wrong
LIKE = 0.3  # the same, if both are of one step
ELSEWHERE = 0.2  # what a row of another step has to have in common beyond one of the same


def normal_rows(rows: Iterable[Row], schema: Schema) -> list[Row]:
    """Rows reduced to the columns of `schema`, names lower case, values comparable."""
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
    """How two bags of rows differ. The list `wrong` pairs an expected row with the one that was emitted instead."""

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
    Rows to which `name_of` gives two different names are never paired (None does not count).
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
    """How much two rows have in common, 0 to 1; 0 unless they agree in what distinguishes rows.

    That is every window and some text, or a value as a whole: the topic of a record says nothing
    about the record.
    """
    if any(is_window(a[name]) and not same(a[name], b.get(name)) for name in a):
        return 0.0
    shares = {name: _share(a[name], b.get(name)) for name in a}
    recognized = any(
        shares[name] > 0 and isinstance(a[name], str | dict) for name in a if name != "topic"
    )
    return sum(shares.values()) / len(a) if recognized else 0.0


def _share(a: Any, b: Any) -> float:
    """1 for equal values, the share of equal fields for two structs that agree in a string or a window."""
    if same(a, b):
        return 1.0
    if not isinstance(a, dict) or not isinstance(b, dict) or is_window(a):
        return 0.0
    equal = [name for name in a if same(a[name], b.get(name))]
    if any(is_window(a[name]) and name not in equal for name in a):
        return 0.0
    alike = any(
        is_window(a[name]) or (isinstance(a[name], str) and not is_time(a[name])) for name in equal
    )
    return len(equal) / len(a | b) if alike else 0.0
