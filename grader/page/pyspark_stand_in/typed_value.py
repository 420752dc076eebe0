"""An expression of the model with Spark's type, and the operations on such: what has no known type is refused."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta, timezone
from typing import Any

from grader.model.expressions import Call, Constant, Expression
from grader.model.expressions import Column as ModelColumn
from grader.page.lab_only import OnlyTheLab

WHOLE = ("integer", "long")
NUMBERS = (*WHOLE, "double")
_MIRRORED = {"=": "=", "!=": "!=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}
_NEGATED = {"=": "!=", "!=": "=", "<": ">=", "<=": ">", ">": "<=", ">=": "<"}


@dataclass(frozen=True)
class Typed:
    """A value by row: `of` computes it, `type` is Spark's, and `name` is what Spark calls the column.

    - `type`: string, integer, long, double, boolean, timestamp, interval, window, or void for null
    - `of` is a window over time where it is a key of a grouping
    - `name` is empty if the name that Spark makes up is not known
    """

    of: Any
    type: str
    name: str = ""

    @property
    def constant(self) -> bool:
        return isinstance(self.of, Constant)


def json_type(type: str) -> Any:
    """A type as a recording's schema has it."""
    if type != "window":
        return type
    fields: list[dict[str, Any]] = [
        {"name": name, "type": "timestamp", "nullable": True, "metadata": {}}
        for name in ("start", "end")
    ]
    return {"type": "struct", "fields": fields}


def literal(value: Any) -> Typed:
    """A Python value as Spark's `lit` takes it."""
    match value:
        case None:
            return Typed(Constant(None), "void", "NULL")
        case bool():
            return Typed(Constant(value), "boolean", str(value).lower())
        case int():
            type = "integer" if -(2**31) <= value < 2**31 else "long"
            return Typed(Constant(value), type, str(value))
        case float():
            return Typed(Constant(value), "double", "")
        case str():
            return Typed(Constant(value), "string", value)
        case datetime():
            if value.tzinfo is None:  # PySpark takes it for one of the machine's own zone
                raise OnlyTheLab("a datetime without a time zone")
            return Typed(Constant(value.astimezone(timezone.utc)), "timestamp")
        case timedelta():
            return Typed(Constant(value), "interval")
    raise OnlyTheLab(f"a literal of the type {type_name(value)}")


def type_name(value: Any) -> str:
    return type(value).__name__


def applied(function: str, type: str, *values: Typed) -> Typed:
    """A function of values whose types are known to fit."""
    return Typed(Call(function, tuple(value.of for value in values)), type)


def fitting(function: str, type: str, *values: Typed) -> Typed:
    """A function that gives an integer or a long; beyond the range of the type, Spark ends the query."""
    return applied(f"fits_{type}", type, applied(function, type, *values))


def constant_of(value: Typed, kind: type) -> Any:
    """The value of a literal of a Python type."""
    if not value.constant or not isinstance(value.of.value, kind):
        raise OnlyTheLab("a computed value where the page expects a literal")
    return value.of.value


def need(value: Typed, *types: str) -> Typed:
    """The value, if its type is one of these."""
    if value.type not in types:
        raise OnlyTheLab(f"a value of type {value.type} where {' or '.join(types)} is expected")
    return value


def common(values: Sequence[Typed]) -> tuple[str, list[Typed]]:
    """The type of several alternatives, and the alternatives as such."""
    types = {value.type for value in values} - {"void"}
    if len(types) > 1 and types <= set(NUMBERS):
        widest = max(types, key=NUMBERS.index)
        return widest, [value if value.type == "void" else cast(value, widest) for value in values]
    if len(types) > 1:
        raise OnlyTheLab(f"alternatives of the types {', '.join(sorted(types))}")
    return (types.pop() if types else "void"), list(values)


def compared(sign: str, one: Typed, other: Typed) -> Typed:
    """A comparison; what Spark would cast for it is cast, as far as that is known."""
    if one.type == "string" and other.type != "string" and one.constant:
        one = _as_type_of(one, other)
    elif other.type == "string" and one.type != "string" and other.constant:
        other = _as_type_of(other, one)
    types = {one.type, other.type} - {"void"}
    alike = len(types) <= 1 or types <= set(NUMBERS)
    if not alike or "window" in types or (types == {"interval"} and sign == "<=>"):
        raise OnlyTheLab(f"a comparison of {one.type} with {other.type}")
    return applied(sign, "boolean", one, other)


def _as_type_of(text: Typed, other: Typed) -> Typed:
    if other.type in ("timestamp", *WHOLE):
        return cast(text, other.type)
    raise OnlyTheLab(f"a comparison of {other.type} with a string")


def arithmetic(sign: str, one: Typed, other: Typed) -> Typed:
    """`+`, `-`, `*`, `/` and `%`, with Spark's types."""
    if "interval" in (one.type, other.type):
        return _moved(sign, one, other)
    if sign == "-" and one.type == other.type == "timestamp":
        return applied("apart", "interval", one, other)
    for value in (one, other):
        need(value, *NUMBERS)
    if sign == "/":
        return applied("/", "double", cast(one, "double"), cast(other, "double"))
    type = max(one.type, other.type, key=NUMBERS.index)
    if type == "double":
        return applied(sign, type, cast(one, type), cast(other, type))
    return fitting(sign, type, one, other)


def _moved(sign: str, one: Typed, other: Typed) -> Typed:
    if sign == "+" and one.type == "interval":
        one, other = other, one
    if sign not in "+-" or one.type != "timestamp" or not other.constant:
        raise OnlyTheLab("a calculation with intervals")
    by = other.of.value if sign == "+" else -other.of.value
    return applied("moved", "timestamp", one, literal(by))


def both(values: Sequence[Typed]) -> Typed:
    return applied("and", "boolean", *(need(value, "boolean", "void") for value in values))


def either(values: Sequence[Typed]) -> Typed:
    return applied("or", "boolean", *(need(value, "boolean", "void") for value in values))


def negated(value: Typed) -> Typed:
    """`not`, moved inwards as Spark's optimizer does, so that each condition can be moved by itself."""
    need(value, "boolean", "void")
    return Typed(_negated(value.of), "boolean")


def _negated(of: Expression) -> Expression:
    match of:
        case Call("and", parts):
            return Call("or", tuple(map(_negated, parts)))
        case Call("or", parts):
            return Call("and", tuple(map(_negated, parts)))
        case Call("not", (inner,)):
            return inner
        case Call("is_null", parts):
            return Call("is_not_null", parts)
        case Call("is_not_null", parts):
            return Call("is_null", parts)
        case Call(sign, parts) if sign in _NEGATED:
            return Call(_NEGATED[sign], parts)
    return Call("not", (of,))


def mirrored(sign: str) -> str:
    """The sign of a comparison with its sides exchanged."""
    return _MIRRORED[sign]


def cast(value: Typed, type: str) -> Typed:
    """A cast, as far as it is known what Spark makes of each value."""
    if value.type in (type, "void"):
        return replace(value, type=type)
    number = value.type in NUMBERS
    match type:
        case "double" if number:
            return applied("double", type, value)
        case "long" if value.type == "integer":
            return replace(value, type=type)
        case "integer" if value.type == "long":
            return applied("fits_integer", type, value)
        case "long" | "integer" if value.type == "double":
            return fitting("long", type, value)
        case "long" if value.type == "timestamp":
            return applied("unix_seconds", type, value)
        case "long" | "integer" if value.type == "string":
            return fitting("number_of", type, value)
        case "string" if value.type in (*WHOLE, "boolean", "timestamp"):
            return applied("text_of", type, value)
        case "timestamp" if value.type == "string":
            return applied("time_of", type, value)
        case "timestamp" if value.type in WHOLE:
            return applied("timestamp_seconds", type, value)
        case "timestamp" if value.type == "double":
            million = Typed(Constant(1_000_000.0), "double")
            return applied("timestamp_micros", type, cast(arithmetic("*", value, million), "long"))
    raise OnlyTheLab(f"a cast of {value.type} to {type}")


def column_name(value: Typed) -> str | None:
    """The column of the model that a value is, if it is nothing but that; no field of a window."""
    of = value.of
    return of.name if isinstance(of, ModelColumn) and "." not in of.name else None


def named_type(text: str) -> str:
    """A type as SQL or `cast` names it."""
    known = {
        "string": "string", "int": "integer", "integer": "integer", "bigint": "long",
        "long": "long", "double": "double", "boolean": "boolean", "timestamp": "timestamp",
    }  # fmt: skip
    found = known.get(text.strip().lower())
    if found is None:
        raise OnlyTheLab(f"the type {text}")
    return found
