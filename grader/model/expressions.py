"""What a query computes of one row: columns, constants and calls, with SQL's null."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from grader.model.scalar_functions import OF_SEVERAL_TYPES, SCALAR_FUNCTIONS
from grader.model.timestamps import MILLISECOND, after, moment, window_time
from grader.model.unsupported import NotModelled

Values = Mapping[str, Any]


@dataclass(frozen=True)
class Column:
    """A column, or a field of a window: `page`, `window.start`."""

    name: str

    @property
    def root(self) -> str:
        return self.name.split(".")[0]


@dataclass(frozen=True)
class Constant:
    value: Any


@dataclass(frozen=True)
class Call:
    """A function of other expressions, by a name in FUNCTIONS or SPECIAL."""

    function: str
    arguments: tuple[Expression, ...]


Expression = Column | Constant | Call


def col(name: str) -> Column:
    return Column(name)


def call(function: str, *arguments: Any) -> Call:
    """A call; an argument that is not an expression is a constant."""
    if function not in FUNCTIONS and function not in SPECIAL:
        raise NotModelled(f"the function {function!r}; known are {sorted({*FUNCTIONS, *SPECIAL})}")
    return Call(function, tuple(_expression(argument) for argument in arguments))


def _expression(given: Any) -> Expression:
    return given if isinstance(given, Column | Constant | Call) else Constant(given)


def evaluate(expression: Expression, row: Values) -> Any:
    """The value for a row; None is null. A call with null is null, except for those in SPECIAL."""
    match expression:
        case Constant(value):
            return value
        case Column(name):
            return _column(name, row)
        case Call(function, arguments):
            if function in SPECIAL:
                return SPECIAL[function](row, *arguments)
            values = [evaluate(argument, row) for argument in arguments]
            return None if None in values else _applied(function, values)


def _applied(function: str, values: list[Any]) -> Any:
    """Spark casts what does not fit together, by its own rules: that is not modeled."""
    if function in COMPARED and any(isinstance(value, datetime) for value in values):
        # Spark: a string compared with a timestamp is cast to one (TypeCoercion, PromoteStrings)
        values = [moment(value) if isinstance(value, str) else value for value in values]
    if len({kind_of(value) for value in values}) > 1 and function not in MIXED:
        raise NotModelled(f"{function} of {values}: values of several types")
    try:
        return FUNCTIONS[function](*values)
    except (TypeError, AttributeError) as error:
        raise NotModelled(f"{function} of {values}") from error


def kind_of(value: Any) -> type:
    """The type of a value, one for all numbers."""
    return float if isinstance(value, int) and not isinstance(value, bool) else type(value)


def truth(expression: Expression, row: Values) -> bool | None:
    """The value of a condition; NotModelled if it is neither true, false nor null."""
    value = evaluate(expression, row)
    if value is not None and not isinstance(value, bool):
        raise NotModelled(f"the value {value!r} as a condition")
    return value


def _column(name: str, row: Values) -> Any:
    root, *fields = name.split(".")
    if root not in row:
        raise NotModelled(f"there is no column {root!r} among {sorted(row)}")
    value = row[root]
    for field in fields:
        value = None if value is None else getattr(value, field)
    return value


def references(expression: Expression) -> set[str]:
    """The columns that an expression reads."""
    match expression:
        case Column():
            return {expression.root}
        case Call(_, arguments):
            return set().union(*map(references, arguments))
    return set()


def replaced(expression: Expression, columns: Mapping[str, Expression]) -> Expression:
    """The expression with others in the place of columns."""
    match expression:
        case Column(name) if expression.root in columns:
            there = columns[expression.root]
            _, dot, fields = name.partition(".")
            if not dot:
                return there
            if isinstance(there, Column):
                return Column(f"{there.name}.{fields}")
            raise NotModelled(f"the field {fields!r} of a computed column")
        case Call(function, arguments):
            return Call(function, tuple(replaced(argument, columns) for argument in arguments))
    return expression


def conjuncts(expression: Expression) -> list[Expression]:
    """The conditions that an `and` joins: Spark moves each by itself."""
    if isinstance(expression, Call) and expression.function == "and":
        return [part for argument in expression.arguments for part in conjuncts(argument)]
    return [expression]


def _and(row: Values, *arguments: Expression) -> bool | None:
    values = [truth(argument, row) for argument in arguments]
    return False if False in values else None if None in values else True


def _or(row: Values, *arguments: Expression) -> bool | None:
    values = [truth(argument, row) for argument in arguments]
    return True if True in values else None if None in values else False


def _coalesce(row: Values, *arguments: Expression) -> Any:
    values = (evaluate(argument, row) for argument in arguments)
    return next((value for value in values if value is not None), None)


def _case(row: Values, *arguments: Expression) -> Any:
    """`case(condition, value, condition, value, …[, otherwise])`: without the last, null."""
    pairs, rest = arguments[: len(arguments) // 2 * 2], arguments[len(arguments) // 2 * 2 :]
    for condition, value in zip(pairs[::2], pairs[1::2], strict=True):
        if truth(condition, row):
            return evaluate(value, row)
    return evaluate(rest[0], row) if rest else None


def _is_null(row: Values, argument: Expression) -> bool:
    return evaluate(argument, row) is None


def _same(row: Values, one: Expression, other: Expression) -> bool:
    """`<=>`: equal, or both null."""
    a, b = evaluate(one, row), evaluate(other, row)
    return a is b if a is None or b is None else bool(_applied("=", [a, b]))


def _not(value: Any) -> bool:
    if not isinstance(value, bool):
        raise NotModelled(f"not of {value!r}")
    return not value


def _number(value: Any) -> float:
    if not isinstance(value, int | float):
        raise NotModelled(f"{value!r} as a number")
    return value


def _divided(a: float, b: float) -> float:
    if b == 0:
        raise NotModelled("a division by zero: Spark ends the query with DIVIDE_BY_ZERO")
    return a / b


def _truncated(unit: str, time: datetime) -> datetime:
    zeros = {"second": 0, "minute": 0, "hour": 0, "microsecond": 0}
    kept = {"day": (), "hour": ("hour",), "minute": ("hour", "minute")}
    kept["second"] = ("hour", "minute", "second")
    if unit not in kept:
        raise NotModelled(f"date_trunc of {unit!r}; known are {sorted(kept)}")
    return time.replace(**{name: 0 for name in zeros if name not in kept[unit]})  # type: ignore[arg-type]


# functions that see null themselves
SPECIAL: dict[str, Callable[..., Any]] = {
    "and": _and,
    "or": _or,
    "coalesce": _coalesce,
    "case": _case,
    "is_null": _is_null,
    "<=>": _same,
    "is_not_null": lambda row, argument: not _is_null(row, argument),
}
COMPARED: dict[str, Callable[..., Any]] = {
    "=": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
# what Python does with values, and PySpark with columns
SIGNS: dict[str, Callable[..., Any]] = {
    **COMPARED,
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
}
FUNCTIONS: dict[str, Callable[..., Any]] = {
    **SIGNS,
    **SCALAR_FUNCTIONS,
    "/": _divided,
    "not": _not,
    "double": lambda a: float(_number(a)),
    # Spark: a cast to BIGINT truncates the fraction
    "long": lambda a: int(_number(a)),
    "starts_with": lambda a, b: a.startswith(b),
    "date_trunc": _truncated,
    "timestamp_seconds": lambda a: after(a * 1_000_000),
    "timestamp_millis": lambda a: after(a, MILLISECOND),
    "window_time": window_time,
}
MIXED = ("date_trunc", *OF_SEVERAL_TYPES)  # a unit and a time, say
