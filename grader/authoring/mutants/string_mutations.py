"""Steps inside strings: durations, numbers, words of settings, SQL."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from grader.authoring.mutants import mutation_tables
from grader.authoring.mutants.answer_cell import Cell, Edit

_DURATION = re.compile(r"\b(\d+)(\s+)(millisecond|second|minute|hour|day)(s?)\b", re.I)
_INTERVAL = re.compile(r"\s*[-+]\s*INTERVAL\s+'?\d+'?\s+\w+", re.I)
_SQL_COMPARISON = re.compile(r"(?<![<>!=])(>=|<=|!=|<>|=|<|>)(?![=>])")
_SQL_WORD = re.compile(r"\bIS\s+NOT\s+NULL\b|\bIS\s+NULL\b|\bAND\b|\bOR\b", re.I)


def number_steps(value: float, *, whole: bool) -> list[str]:
    """Half and double, one more and less, nothing, and another unit."""
    found: list[float] = [value * 2, value / 2, value + 1, value - 1, 0]
    if abs(value) >= 1000:
        found += [value * 1000, value / 1000]
    if whole:
        return [str(int(n)) for n in found if n == int(n)]
    return [repr(float(n)) for n in found]


def duration_steps(count: int, unit: str) -> list[str]:
    """A duration halved and doubled, a unit more and less, a finer one too, none, another unit."""
    unit = unit.lower()
    place = mutation_tables.UNITS.index(unit)
    finer = mutation_tables.UNITS[max(place - 1, 0)]
    held = mutation_tables.FINER.get(unit, 1)
    found = [(count * 2, unit), (count + 1, unit), (count - 1, unit), (0, unit)]
    found.append((count // 2, unit) if count % 2 == 0 else (count * held // 2, finer))
    if unit != "second":  # a millisecond is finer than any event of the course
        found += [(count * held + 1, finer), (count * held - 1, finer)]
    found += [(count, mutation_tables.UNITS[n]) for n in (place - 1, place + 1) if 0 <= n < 5]
    return [f"{n} {name}{'s' * (n != 1)}" for n, name in found]


def half_of(duration: object) -> str:
    """Half of "1 minute" in text; empty if it is not a duration."""
    found = _DURATION.fullmatch(duration) if isinstance(duration, str) else None
    return duration_steps(int(found.group(1)), found.group(3))[4] if found else ""


class Literal:
    """A string literal without escapes: places in its value are places in the cell."""

    def __init__(self, cell: Cell, node: ast.Constant):
        self.cell, self.node, self.value = cell, node, str(node.value)
        start, _ = cell.span(node)
        raw = cell.source(node)
        mark = re.match(r"[rRuU]?(\"\"\"|'''|\"|')", raw)
        inner = raw[mark.end() : -len(mark.group(1))] if mark else ""
        self.start = start + mark.end() if mark and inner == self.value else None

    def edit(self, operator: str, begin: int, end: int, new: str) -> Edit | None:
        """An edit of a part of the value; None if its place is not known (escapes)."""
        if self.start is None:
            return None
        return self.cell.edit(operator, self.start + begin, self.start + end, new)

    def whole(self, operator: str, new: str) -> Edit:
        raw = self.cell.source(self.node)
        quote = '"' if '"' in raw[:2] or raw.startswith('"') else "'"
        return self.cell.swap(operator, self.node, f"{quote}{new}{quote}")


def steps_in_text(cell: Cell, node: ast.Constant) -> Iterator[Edit | None]:
    """All steps in one string constant."""
    literal = Literal(cell, node)
    value = literal.value
    call = _call_around(cell, node)
    for found in _DURATION.finditer(value):
        for new in duration_steps(int(found.group(1)), found.group(3)):
            if found.group(3).isupper():
                new = new.upper()
            yield literal.edit("duration", *found.span(), new)
    if call in mutation_tables.SETTERS:
        yield from _setting_steps(literal)
    if call == "outputMode" or _keyword_around(cell, node) == "outputMode":
        for new in mutation_tables.OUTPUT_MODES:
            yield literal.whole("output mode", new)
    if call == "join":
        known = mutation_tables.JOIN_NAMES.get(value.lower(), value)
        if known in mutation_tables.JOINS:
            for new in mutation_tables.JOINS:
                if new != known:
                    yield literal.whole("join kind", new)
    if call not in mutation_tables.NAMING:
        yield from _column_steps(literal)
    compared = isinstance(cell.parents[node], ast.Compare)
    if value and (compared or call in mutation_tables.TEXTED) and value not in cell.columns:
        for new in (value[:-1], value[1:], value.upper(), value + "x"):
            yield literal.whole("text", new)
    if call in mutation_tables.SQL_TAKING:
        yield from _sql_steps(literal, condition=call in ("where", "filter"))


def _setting_steps(literal: Literal) -> Iterator[Edit | None]:
    value = literal.value
    for new in mutation_tables.SETTINGS.get(value.lower() if len(value) < 10 else value, []):
        yield literal.whole("setting", new)
    if value.isdigit():
        for new in number_steps(int(value), whole=True):
            yield literal.whole("setting", new)


def _column_steps(literal: Literal) -> Iterator[Edit | None]:
    """Another column of the same type, in "page" as well as in "click.page"."""
    columns = literal.cell.columns
    name = literal.value.rpartition(".")[2]
    parent = literal.cell.parents[literal.node]
    is_key = isinstance(parent, ast.Dict) and literal.node in parent.keys
    if name not in columns or is_key:
        return
    for other in _of_same_type(columns, name):
        begin = len(literal.value) - len(name)
        yield literal.edit("column", begin, len(literal.value), other)


def _of_same_type(columns: dict[str, str], name: str) -> list[str]:
    type_ = columns.get(name)
    return [other for other in columns if other != name and columns[other] == type_]


def _sql_steps(literal: Literal, *, condition: bool) -> Iterator[Edit | None]:
    value, columns = literal.value, literal.cell.columns
    if condition:
        yield literal.whole("condition turned", f"NOT ({value})")
    for found in _SQL_COMPARISON.finditer(value):
        for new in mutation_tables.SQL_COMPARISONS.get(found.group(1), []):
            yield literal.edit("comparison", *found.span(1), new)
    for found in _SQL_WORD.finditer(value):
        for new in mutation_tables.SQL_WORDS[" ".join(found.group().upper().split())]:
            yield literal.edit("logic", *found.span(), new)
    for found in _INTERVAL.finditer(value):
        yield literal.edit("operand gone", *found.span(), "")
        sign = found.start() + re.search(r"[-+]", found.group()).start()  # type: ignore[union-attr]
        yield literal.edit("arithmetic", sign, sign + 1, "-" if value[sign] == "+" else "+")
    for begin, end in _conjuncts(value):
        yield literal.edit("conjunct gone", begin, end, "")
    if "." not in value:
        for found in re.finditer(r"\w+", value):
            for other in _of_same_type(columns, found.group()):
                yield literal.edit("column", *found.span(), other)


def _conjuncts(sql: str) -> list[tuple[int, int]]:
    """Where each part of an AND is, with the AND that joins it to the others."""
    joints = [found.span() for found in re.finditer(r"\bAND\b", sql, re.I)]
    if not joints or re.search(r"\bBETWEEN\b|\(|\bOR\b", sql, re.I):
        return []
    stop = len(sql.rstrip())
    first = (len(sql) - len(sql.lstrip()), joints[0][1])
    ends = [begin for begin, _ in joints[1:]] + [stop]
    return [first, *((begin, end) for (begin, _), end in zip(joints, ends, strict=True))]


def _call_around(cell: Cell, node: ast.AST) -> str:
    """The name of the call that a string is an argument of, also inside a list."""
    parent = cell.parents.get(node)
    if isinstance(parent, (ast.List, ast.Tuple)):
        parent = cell.parents.get(parent)
    if isinstance(parent, ast.keyword):
        parent = cell.parents.get(parent)
    if not isinstance(parent, ast.Call):
        return ""
    named = parent.func
    return named.attr if isinstance(named, ast.Attribute) else getattr(named, "id", "")


def _keyword_around(cell: Cell, node: ast.AST) -> str:
    parent = cell.parents.get(node)
    return (parent.arg or "") if isinstance(parent, ast.keyword) else ""
