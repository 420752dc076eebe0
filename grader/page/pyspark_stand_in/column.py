"""Columns as an answer builds them: each knows how it is resolved among the columns of a frame."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import date
from functools import partial
from typing import Any

from grader.page.lab_only import OnlyTheLab
from grader.page.pyspark_stand_in import typed_value as tv
from grader.page.pyspark_stand_in.raised_errors import column_as_boolean
from grader.page.pyspark_stand_in.scope import Field, Scope, field_of
from grader.page.pyspark_stand_in.typed_value import Typed

Resolve = Callable[[Scope], Typed]


class Column:
    """A column of no frame yet (pyspark.sql.Column)."""

    def __init__(self, resolve: Resolve, parts: Sequence[Any] = (), alias: str | None = None):
        """`parts` are those of a `when` that may go on; `alias` is a name that the learner gave."""
        self._resolve = resolve
        self._parts = list(parts)
        self._alias = alias

    def alias(self, *alias: str, **kwargs: Any) -> Column:
        if len(alias) != 1 or kwargs or not isinstance(alias[0], str):
            raise OnlyTheLab("an alias of several names")
        name = alias[0]
        return Column(lambda scope: replace(self._resolve(scope), name=name), alias=name)

    name = alias

    def cast(self, dataType: Any) -> Column:
        return Column(lambda scope: _cast(self._resolve(scope), dataType))

    astype = cast

    def isNull(self) -> Column:
        return call_of(lambda value: tv.applied("is_null", "boolean", value), self)

    def isNotNull(self) -> Column:
        return call_of(lambda value: tv.applied("is_not_null", "boolean", value), self)

    def eqNullSafe(self, other: Any) -> Column:
        return call_of(partial(tv.compared, "<=>"), self, other)

    def startswith(self, other: Any) -> Column:
        return self._of_texts("starts_with", other)

    def endswith(self, other: Any) -> Column:
        return self._of_texts("ends_with", other)

    def contains(self, other: Any) -> Column:
        return self._of_texts("contains", other)

    def _of_texts(self, function: str, other: Any) -> Column:
        return call_of(
            lambda a, b: tv.applied(function, "boolean", *(tv.need(v, "string") for v in (a, b))),
            self,
            other,
        )

    def like(self, other: Any) -> Column:
        return call_of(_like, self, other)

    def rlike(self, other: Any) -> Column:
        return call_of(_rlike, self, other)

    def substr(self, startPos: Any, length: Any) -> Column:
        return call_of(substring, self, startPos, length)

    def between(self, lowerBound: Any, upperBound: Any) -> Column:
        return (self >= lowerBound) & (self <= upperBound)

    def isin(self, *cols: Any) -> Column:
        values = (
            list(cols[0]) if len(cols) == 1 and isinstance(cols[0], list | set | tuple) else cols
        )
        if not values:
            raise OnlyTheLab("isin without values")
        return call_of(
            lambda value, *others: tv.either([tv.compared("=", value, o) for o in others]),
            self,
            *values,
        )

    def when(self, condition: Any, value: Any) -> Column:
        if not self._parts or len(self._parts) % 2:
            raise OnlyTheLab("`when` on a column that is none")
        return case([*self._parts, condition, value])

    def otherwise(self, value: Any) -> Column:
        if not self._parts or len(self._parts) % 2:
            raise OnlyTheLab("`otherwise` on a column that is no `when`")
        return case([*self._parts, value])

    def getField(self, name: Any) -> Column:
        return Column(lambda scope: field_of(self._resolve(scope), name))

    def __getitem__(self, name: Any) -> Column:
        return self.getField(name)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        if name in ("start", "end"):
            return self.getField(name)
        raise OnlyTheLab(f"Column.{name}")

    def __bool__(self) -> bool:
        raise column_as_boolean()

    def __iter__(self) -> Any:
        raise OnlyTheLab("a loop over a column")

    def __contains__(self, item: Any) -> bool:
        raise OnlyTheLab("`in` on a column")

    def __invert__(self) -> Column:
        return call_of(tv.negated, self)

    def __neg__(self) -> Column:
        return call_of(negative, self)

    def __and__(self, other: Any) -> Column:
        return call_of(lambda *values: tv.both(values), self, other)

    def __rand__(self, other: Any) -> Column:
        return call_of(lambda *values: tv.both(values), other, self)

    def __or__(self, other: Any) -> Column:
        return call_of(lambda *values: tv.either(values), self, other)

    def __ror__(self, other: Any) -> Column:
        return call_of(lambda *values: tv.either(values), other, self)

    __hash__ = None  # type: ignore[assignment]


def _operator(function: Callable[[str, Typed, Typed], Typed], sign: str, *, turned: bool) -> Any:
    def method(self: Column, other: Any) -> Column:
        sides = (other, self) if turned else (self, other)
        return call_of(partial(function, sign), *sides)

    return method


for _name, _sign in {"eq": "=", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}.items():
    setattr(Column, f"__{_name}__", _operator(tv.compared, _sign, turned=False))
for _name, _sign in {"add": "+", "sub": "-", "mul": "*", "truediv": "/", "mod": "%"}.items():
    setattr(Column, f"__{_name}__", _operator(tv.arithmetic, _sign, turned=False))
    setattr(Column, f"__r{_name}__", _operator(tv.arithmetic, _sign, turned=True))


def column_of(value: Any) -> Column:
    """A column as it is; anything else as a literal."""
    if isinstance(value, Column):
        return value
    if isinstance(value, date) and not hasattr(value, "hour"):
        raise OnlyTheLab("a date")
    found = tv.literal(value)
    return Column(lambda scope: found)


def named_column(name: str) -> Column:
    """A column by its name."""
    if not isinstance(name, str):
        raise OnlyTheLab(f"a column named by a {tv.type_name(name)}")
    if name == "*" or name.endswith(".*"):
        return Star(name)
    return Column(lambda scope: scope.named(name))


class Star(Column):
    """`*`, or `alias.*`: all columns."""

    def __init__(self, name: str = "*"):
        self.qualifier = name[:-2] if name != "*" else None

        def refuse(scope: Scope) -> Typed:
            raise OnlyTheLab("* in an expression")

        super().__init__(refuse)


def resolved(column: Column, scope: Scope) -> Typed:
    """What a column is in a scope."""
    return column._resolve(scope)


def given_name(column: Column) -> str | None:
    """The name that the learner gave a column, if any."""
    return column._alias


def call_of(function: Callable[..., Typed], *arguments: Any) -> Column:
    """A column computed of others; what is no column is a literal."""
    columns = [column_of(argument) for argument in arguments]
    return Column(lambda scope: function(*(column._resolve(scope) for column in columns)))


def column_of_field(field: Field) -> Column:
    """A column of a frame, by its identity."""
    return Column(lambda scope: scope.keyed(field.key, field.name))


def case(parts: Sequence[Any]) -> Column:
    """`case(condition, value, …[, otherwise])` as a column."""
    columns = [column_of(part) for part in parts]
    if not all(isinstance(part, Column) for part in parts[: len(parts) // 2 * 2 : 2]):
        raise OnlyTheLab("a condition that is no column")

    def resolve(scope: Scope) -> Typed:
        values = [column._resolve(scope) for column in columns]
        pairs = len(values) // 2
        conditions = [tv.need(values[2 * n], "boolean", "void") for n in range(pairs)]
        results = [values[2 * n + 1] for n in range(pairs)] + values[2 * pairs :]
        type, results = tv.common(results)
        mixed = [one for n in range(pairs) for one in (conditions[n], results[n])]
        return tv.applied("case", type, *mixed, *results[pairs:])

    return Column(resolve, parts)


def negative(value: Typed) -> Typed:
    """The value with the other sign."""
    if value.constant and value.type in tv.NUMBERS:
        return tv.literal(-value.of.value)
    applied = tv.applied if value.type == "double" else tv.fitting
    return applied("negative", value.type, tv.need(value, *tv.NUMBERS))


def substring(text: Typed, start: Typed, length: Typed) -> Typed:
    """Part of a string: `start` is from 1 on."""
    for number in (start, length):
        tv.constant_of(number, int)
    return tv.applied("substring", "string", tv.need(text, "string"), start, length)


def _cast(value: Typed, type: Any) -> Typed:
    said = type if isinstance(type, str) else getattr(type, "typeName", lambda: "")()
    return replace(tv.cast(value, tv.named_type(said)), name=value.name)


def _like(text: Typed, pattern: Typed) -> Typed:
    if "\\" in tv.constant_of(pattern, str):
        raise OnlyTheLab("LIKE with an escape")
    return tv.applied("like", "boolean", tv.need(text, "string"), pattern)


def _rlike(text: Typed, pattern: Typed) -> Typed:
    """A regular expression that is only a beginning or a part of the text."""
    said = tv.constant_of(pattern, str)
    plain = said.removeprefix("^")
    if not all(sign.isalnum() or sign in "/-_ " for sign in plain) or not plain:
        raise OnlyTheLab("a regular expression")
    if said.endswith("$"):  # it also matches before a line break at the end
        raise OnlyTheLab("a regular expression with $")
    function = "starts_with" if said.startswith("^") else "contains"
    return tv.applied(function, "boolean", tv.need(text, "string"), tv.literal(plain))
