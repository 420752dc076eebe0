"""Expressions of SQL as columns, as far as the page reads them."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import timedelta
from functools import partial
from typing import Any

from grader.model.expressions import Constant
from grader.model.timestamps import in_microseconds, length
from grader.page.lab_only import OnlyTheLab, modelled
from grader.page.pyspark_stand_in import functions as spark_functions
from grader.page.pyspark_stand_in import typed_value as tv
from grader.page.pyspark_stand_in.column import (
    Column,
    Star,
    call_of,
    case,
    column_of,
    named_column,
    negative,
    resolved,
)
from grader.page.pyspark_stand_in.scope import Scope
from grader.page.pyspark_stand_in.sql_tokens import Tokens
from grader.page.pyspark_stand_in.typed_value import Typed

_CLOCK = re.compile(r"(\d+) (\d\d?):(\d\d):(\d\d)")
# SQL's own words: no names of columns
_WORDS = frozenset(
    [
        "AND",
        "OR",
        "NOT",
        "IN",
        "IS",
        "NULL",
        "TRUE",
        "FALSE",
        "LIKE",
        "RLIKE",
        "BETWEEN",
        "CASE",
        "WHEN",
        "THEN",
        "ELSE",
        "END",
        "CAST",
        "INTERVAL",
        "AS",
        "FROM",
        "WHERE",
        "GROUP",
        "BY",
        "HAVING",
        "SELECT",
        "ORDER",
        "LIMIT",
        "UNION",
        "JOIN",
        "LEFT",
        "RIGHT",
        "INNER",
        "OUTER",
        "FULL",
        "CROSS",
        "ON",
        "USING",
        "DISTINCT",
        "WITH",
        "ALL",
        "ASC",
        "DESC",
        "OVER",
        "FILTER",
        "LATERAL",
        "NATURAL",
        "TABLESAMPLE",
        "ANTI",
        "SEMI",
        "EXISTS",
        "INTERSECT",
        "EXCEPT",
        "VALUES",
        "TABLE",
        "CURRENT_TIMESTAMP",
        "CURRENT_DATE",
        "DIV",
        "ESCAPE",
        "ILIKE",
        "REGEXP",
        "DATE",
        "TIMESTAMP",
        "WINDOW",
    ]
)
# functions whose name in SQL is the one in pyspark.sql.functions, and whose arguments are columns
_SAME_NAME = [
    "lower",
    "lcase",
    "upper",
    "ucase",
    "length",
    "char_length",
    "trim",
    "window_time",
    "timestamp_millis",
    "timestamp_micros",
    "timestamp_seconds",
    "unix_timestamp",
    "from_unixtime",
    "hour",
    "minute",
    "second",
    "unix_seconds",
    "unix_millis",
    "unix_micros",
    "isnull",
    "isnotnull",
    "to_timestamp",
    "coalesce",
    "ifnull",
    "nvl",
    "instr",
    "startswith",
    "endswith",
    "contains",
    "concat",
    "abs",
    "floor",
    "ceil",
    "ceiling",
    "count_if",
    "sum",
    "try_sum",
    "avg",
    "mean",
    "min",
    "max",
    "substring",
    "substr",
    "round",
    "negative",
]


def expression_of(sql: str) -> Column:
    """A whole text that is one expression, with or without a name (`count(*) AS clicks`)."""
    tokens = Tokens(sql)
    found = named_expression(tokens)
    tokens.demand_end()
    return found


def named_expression(tokens: Tokens) -> Column:
    """An expression and the name after AS, or without AS."""
    found = expression(tokens)
    alias = taken_alias(tokens)
    return found if alias is None else found.alias(alias)


def taken_alias(tokens: Tokens) -> str | None:
    """Take the name after AS, or without AS; None if no name comes next."""
    token = tokens.next
    if tokens.took_word("AS") or token.kind == "quoted":
        return tokens.take_name()
    return tokens.take_name() if token.kind == "word" and not _is_word(token.text) else None


def _is_word(text: str) -> bool:
    return text.upper() in _WORDS


def expression(tokens: Tokens) -> Column:
    """The next expression."""
    found = _and(tokens)
    while tokens.took_word("OR"):
        found = found | _and(tokens)
    return found


def _and(tokens: Tokens) -> Column:
    found = _not(tokens)
    while tokens.took_word("AND"):
        found = found & _not(tokens)
    return found


def _not(tokens: Tokens) -> Column:
    if tokens.took_word("NOT"):
        return ~_not(tokens)
    return _comparison(tokens)


_SIGNS = {
    "=": "=", "==": "=", "!=": "!=", "<>": "!=", "<=>": "<=>", "<": "<", "<=": "<=", ">": ">", ">=": ">=",
}  # fmt: skip


def _comparison(tokens: Tokens) -> Column:
    found = _sum(tokens)
    while True:
        if tokens.next.kind == "sign" and tokens.next.text in _SIGNS:
            sign = _SIGNS[tokens.take().text]
            found = call_of(partial(tv.compared, sign), found, _sum(tokens))
        elif tokens.took_word("IS"):
            found = _is(tokens, found)
        elif tokens.next.says("NOT", "BETWEEN", "IN", "LIKE", "RLIKE"):
            found = _predicate(tokens, found)
        else:
            return found


def _is(tokens: Tokens, found: Column) -> Column:
    other = tokens.took_word("NOT")
    if tokens.took_word("NULL"):
        return found.isNotNull() if other else found.isNull()
    for word in ("TRUE", "FALSE"):
        if tokens.took_word(word):
            same = call_of(_is_truth(word == "TRUE"), found)
            return ~same if other else same
    raise OnlyTheLab(f"SQL with IS {tokens.next.text}")


def _is_truth(wanted: bool) -> Callable[[Typed], Typed]:
    return lambda value: tv.compared("<=>", tv.need(value, "boolean"), tv.literal(wanted))


def _predicate(tokens: Tokens, found: Column) -> Column:
    other = tokens.took_word("NOT")
    if tokens.took_word("BETWEEN"):
        low = _sum(tokens)
        tokens.demand_word("AND")
        found = found.between(low, _sum(tokens))
    elif tokens.took_word("IN"):
        found = found.isin(_arguments(tokens))
    elif tokens.took_word("LIKE"):
        found = found.like(_sum(tokens))
    elif tokens.took_word("RLIKE"):
        found = found.rlike(_sum(tokens))
    else:
        raise OnlyTheLab(f"SQL with NOT {tokens.next.text}")
    return ~found if other else found


def _sum(tokens: Tokens) -> Column:
    found = _product(tokens)
    while tokens.next.is_sign("+", "-"):
        sign = tokens.take().text
        found = call_of(partial(tv.arithmetic, sign), found, _product(tokens))
    return found


def _product(tokens: Tokens) -> Column:
    found = _unary(tokens)
    while tokens.next.is_sign("*", "/", "%"):
        sign = tokens.take().text
        found = call_of(partial(tv.arithmetic, sign), found, _unary(tokens))
    return found


def _unary(tokens: Tokens) -> Column:
    if tokens.took_sign("-"):
        return call_of(negative, _unary(tokens))
    return _primary(tokens)


def _primary(tokens: Tokens) -> Column:
    if tokens.took_sign("("):
        found = expression(tokens)
        tokens.demand_sign(")")
        return found
    if tokens.took_sign("*"):
        return Star()
    token = tokens.take()
    if token.kind == "number":
        return _number(token.text)
    if token.kind == "text":
        return column_of(token.text)
    if token.says("TRUE", "FALSE"):
        return column_of(token.says("TRUE"))
    if token.says("NULL"):
        return column_of(None)
    if token.says("CASE"):
        return _case(tokens)
    if token.says("CAST"):
        return _cast(tokens)
    if token.says("INTERVAL"):
        return _interval(tokens)
    if token.says("TIMESTAMP") and tokens.next.kind == "text":
        return column_of(tokens.take().text).cast("timestamp")
    if token.kind == "word" and tokens.next.is_sign("("):
        return _function(token.text.lower(), tokens)
    if token.kind == "quoted" or (token.kind == "word" and not _is_reserved(token.text)):
        return _name(token.text, tokens)
    raise OnlyTheLab(f"SQL with {token.text!r}")


def _is_reserved(text: str) -> bool:
    """`window` may be a column, and so may `end`, `start` and `date`, but not all of them first."""
    return _is_word(text) and text.upper() not in ("WINDOW", "TIMESTAMP", "DATE")


def _name(first: str, tokens: Tokens) -> Column:
    parts = [first]
    while tokens.took_sign("."):
        if tokens.took_sign("*"):
            return Star(f"{first}.*")
        parts.append(tokens.take_name())
    return named_column(".".join(f"`{part}`" for part in parts))


def _number(text: str) -> Column:
    if text[-1] in "dD":
        return column_of(float(text[:-1]))
    if text[-1] in "lL":
        value = tv.literal(int(text[:-1]))
        return Column(lambda scope: Typed(value.of, "long", value.name))
    if "." in text or "e" in text.lower():
        raise OnlyTheLab(f"the decimal {text}")
    return column_of(int(text))


def _case(tokens: Tokens) -> Column:
    """With conditions, or with a value that is compared."""
    value = None if tokens.next.says("WHEN") else expression(tokens)
    parts: list[Any] = []
    while tokens.took_word("WHEN"):
        condition = expression(tokens)
        if value is not None:
            condition = call_of(partial(tv.compared, "="), value, condition)
        tokens.demand_word("THEN")
        parts += [condition, expression(tokens)]
    if tokens.took_word("ELSE"):
        parts.append(expression(tokens))
    tokens.demand_word("END")
    return case(parts)


def _cast(tokens: Tokens) -> Column:
    tokens.demand_sign("(")
    found = expression(tokens)
    tokens.demand_word("AS")
    type = tokens.take().text
    tokens.demand_sign(")")
    return found.cast(type)


def _interval(tokens: Tokens) -> Column:
    """INTERVAL 1 HOUR 30 MINUTES, INTERVAL '30' MINUTES, INTERVAL '1 hour', INTERVAL '0 01:00:00' DAY TO SECOND."""
    by_clock = _CLOCK.fullmatch(tokens.next.text) if tokens.next.kind == "text" else None
    if by_clock:
        tokens.take()
        tokens.demand_word("DAY", "TO", "SECOND")
        days, hours, minutes, seconds = map(int, by_clock.groups())
        return _interval_of(timedelta(days, seconds, hours=hours, minutes=minutes))
    said: list[str] = []
    while tokens.next.kind in ("number", "text"):
        part = tokens.take().text.strip()
        said.append(part if " " in part else f"{part} {tokens.take().text}")
    text = " ".join(said).strip()
    if not text or tokens.next.says("TO"):
        raise OnlyTheLab("an interval of another form")
    with modelled():
        return _interval_of(length(text))


def _interval_of(length: timedelta) -> Column:
    value = Typed(Constant(length), "interval")
    return Column(lambda scope: value)


def _arguments(tokens: Tokens) -> list[Any]:
    tokens.demand_sign("(")
    found: list[Any] = []
    while not tokens.took_sign(")"):
        if found:
            tokens.demand_sign(",")
        if tokens.next.says("DISTINCT"):
            raise OnlyTheLab("DISTINCT in a function")
        found.append(expression(tokens))
    return found


def _function(name: str, tokens: Tokens) -> Column:
    arguments = _arguments(tokens)
    if tokens.next.says("OVER", "FILTER"):
        raise OnlyTheLab(f"SQL with {tokens.next.text}")
    if name == "count" and len(arguments) == 1:
        return spark_functions.count(arguments[0])
    if name in ("window", "session_window", "date_trunc", "if"):
        try:
            return _special(name, arguments)
        except _NotText:
            raise OnlyTheLab(f"computed arguments of {name}") from None
    if name in _SAME_NAME:
        try:
            return getattr(spark_functions, name)(*arguments)  # type: ignore[no-any-return]
        except TypeError:
            raise OnlyTheLab(f"{len(arguments)} arguments of the function {name}") from None
    raise OnlyTheLab(f"the function {name} of SQL")


def _special(name: str, arguments: list[Column]) -> Column:
    """Functions some of whose arguments must be literals, or that are written in another way."""
    if name == "if" and len(arguments) == 3:
        return case(arguments)
    if name == "date_trunc" and len(arguments) == 2:
        return spark_functions.date_trunc(_text(arguments[0]), arguments[1])
    if name == "window" and 2 <= len(arguments) <= 4:
        return spark_functions.window(arguments[0], *map(_text, arguments[1:]))
    if name == "session_window" and len(arguments) == 2:
        try:
            return spark_functions.session_window(arguments[0], _text(arguments[1]))
        except _NotText:
            return spark_functions.session_window(arguments[0], arguments[1])
    raise OnlyTheLab(f"{len(arguments)} arguments of the function {name}")


class _NotText(Exception):
    """An argument that is no literal string."""


def _text(argument: Column) -> str:
    """A literal string, or an interval as one."""
    try:
        value = resolved(argument, Scope([]))
    except Exception:
        raise _NotText from None
    if not value.constant:
        raise _NotText
    if isinstance(value.of.value, timedelta):
        return in_microseconds(value.of.value)
    if not isinstance(value.of.value, str):
        raise OnlyTheLab("a literal of another type")
    return value.of.value
