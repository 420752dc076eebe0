"""pyspark.sql.functions, as far as the page knows them; any other function is one for the lab."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from grader.model.expressions import Column as ModelColumn
from grader.model.expressions import Constant, call
from grader.model.query import Fold
from grader.page.lab_only import OnlyTheLab
from grader.page.pyspark_stand_in import typed_value as tv
from grader.page.pyspark_stand_in.column import (
    Column,
    Star,
    call_of,
    case,
    column_of,
    named_column,
    resolved,
)
from grader.page.pyspark_stand_in.column import negative as negative_value
from grader.page.pyspark_stand_in.column import substring as part_of
from grader.page.pyspark_stand_in.scope import ResultScope, Scope, lengths_known
from grader.page.pyspark_stand_in.typed_value import Typed

ColumnOrName = Any
_OF_COLUMNS = (*tv.NUMBERS, "string", "boolean", "timestamp", "window")  # the types of columns


def col(name: str) -> Column:
    return named_column(name)


column = col


def lit(value: Any) -> Column:
    return column_of(value)


def expr(str: str) -> Column:
    from grader.page.pyspark_stand_in.sql_expression import expression_of

    return expression_of(str)


def when(condition: Column, value: Any) -> Column:
    return case([condition, value])


def window(
    timeColumn: ColumnOrName,
    windowDuration: str,
    slideDuration: str | None = None,
    startTime: str | None = None,
) -> Column:
    start = startTime or "0 seconds"
    texts = (windowDuration, slideDuration, start)
    if not all(text is None or isinstance(text, str) for text in texts):
        raise OnlyTheLab("a window of computed length")
    lengths_known(*texts)
    time = _named(timeColumn)

    def resolve(scope: Scope) -> Typed:
        with scope.rows():
            of = resolved(time, scope)
        return scope.window(of, windowDuration, slideDuration, start)

    return Column(resolve)


def session_window(timeColumn: ColumnOrName, gapDuration: Any) -> Column:
    time = _named(timeColumn)
    if isinstance(gapDuration, str):
        lengths_known(gapDuration)
    elif not isinstance(gapDuration, Column):
        raise OnlyTheLab("the gap of a session")

    def resolve(scope: Scope) -> Typed:
        with scope.rows():
            of = resolved(time, scope)
            if isinstance(gapDuration, str):
                gap = gapDuration
            else:
                gap = tv.need(resolved(gapDuration, scope), "string").of
        return scope.session(of, gap)

    return Column(resolve)


def _named(given: ColumnOrName) -> Column:
    return given if isinstance(given, Column) else named_column(given)


def _plain(function: str, result: str, *types: str) -> Callable[[ColumnOrName], Column]:
    """A function of one column of certain types."""

    def of_column(col: ColumnOrName) -> Column:
        return call_of(lambda v: tv.applied(function, result, tv.need(v, *types)), _named(col))

    return of_column


lower = lcase = _plain("lower", "string", "string")
upper = ucase = _plain("upper", "string", "string")
trim = _plain("trim", "string", "string")
length = char_length = character_length = _plain("length", "integer", "string")
window_time = _plain("window_time", "timestamp", "window")
timestamp_millis = _plain("timestamp_millis", "timestamp", *tv.WHOLE)
timestamp_micros = _plain("timestamp_micros", "timestamp", *tv.WHOLE)
unix_seconds = _plain("unix_seconds", "long", "timestamp")
hour = _plain("hour", "integer", "timestamp")
minute = _plain("minute", "integer", "timestamp")
second = _plain("second", "integer", "timestamp")
unix_millis = _plain("unix_millis", "long", "timestamp")
unix_micros = _plain("unix_micros", "long", "timestamp")
isnull = _plain("is_null", "boolean", *_OF_COLUMNS)
isnotnull = _plain("is_not_null", "boolean", *_OF_COLUMNS)


def timestamp_seconds(col: ColumnOrName) -> Column:
    return call_of(lambda v: tv.cast(tv.need(v, *tv.NUMBERS), "timestamp"), _named(col))


def unix_timestamp(timestamp: ColumnOrName, format: str | None = None) -> Column:
    if format is not None:
        raise OnlyTheLab("a format of timestamps")
    return unix_seconds(timestamp)


def from_unixtime(timestamp: ColumnOrName, format: str | None = None) -> Column:
    if format is not None:
        raise OnlyTheLab("a format of timestamps")
    return timestamp_seconds(_whole_number(timestamp)).cast("string")


def _whole_number(given: ColumnOrName) -> Column:
    return call_of(lambda value: tv.need(value, *tv.WHOLE), _named(given))


def to_timestamp(col: ColumnOrName, format: str | None = None) -> Column:
    """A string is read as a cast does; a format is one for the lab."""
    if format is not None:
        raise OnlyTheLab("a format of timestamps")
    return call_of(_to_timestamp, _named(col))


def _to_timestamp(value: Typed) -> Typed:
    """Not the column itself, even of a timestamp: what is computed has no watermark."""
    if value.type == "timestamp":
        return Typed(call("coalesce", value.of), "timestamp")
    return tv.cast(tv.need(value, "string"), "timestamp")


def date_trunc(format: str, timestamp: ColumnOrName) -> Column:
    unit = {"mon": "month", "dd": "day"}.get(format.lower(), format.lower())
    if unit not in ("second", "minute", "hour", "day"):
        raise OnlyTheLab(f"date_trunc by {format}")
    return call_of(
        lambda v: tv.applied("date_trunc", "timestamp", tv.literal(unit), tv.need(v, "timestamp")),
        _named(timestamp),
    )


def coalesce(*cols: ColumnOrName) -> Column:
    return call_of(_coalesced, *map(_named, cols))


def _coalesced(*values: Typed) -> Typed:
    type, values_ = tv.common(values)
    return tv.applied("coalesce", type, *values_)


def ifnull(col1: ColumnOrName, col2: ColumnOrName) -> Column:
    return coalesce(col1, col2)


nvl = ifnull


def substring(str: ColumnOrName, pos: Any, len: Any) -> Column:
    return call_of(part_of, _named(str), pos, len)


def substr(str: ColumnOrName, pos: Any, len: Any = None) -> Column:
    if len is None:
        raise OnlyTheLab("substr to the end")
    return substring(str, pos, len)


def instr(str: ColumnOrName, substr: Any) -> Column:
    return call_of(
        lambda text, part: tv.applied(
            "position", "integer", tv.need(text, "string"), tv.need(part, "string")
        ),
        _named(str),
        substr,
    )


def startswith(str: ColumnOrName, prefix: ColumnOrName) -> Column:
    return _named(str).startswith(_named(prefix))


def endswith(str: ColumnOrName, suffix: ColumnOrName) -> Column:
    return _named(str).endswith(_named(suffix))


def contains(left: ColumnOrName, right: ColumnOrName) -> Column:
    return _named(left).contains(_named(right))


def concat(*cols: ColumnOrName) -> Column:
    return call_of(
        lambda *values: tv.applied("concat", "string", *(tv.need(v, "string") for v in values)),
        *map(_named, cols),
    )


def abs(col: ColumnOrName) -> Column:
    return call_of(lambda v: tv.applied("absolute", v.type, tv.need(v, *tv.NUMBERS)), _named(col))


def negate(col: ColumnOrName) -> Column:
    return call_of(negative_value, _named(col))


negative = negate


def floor(col: ColumnOrName) -> Column:
    return _whole("floor", col)


def ceil(col: ColumnOrName) -> Column:
    return _whole("ceiling", col)


ceiling = ceil


def _whole(function: str, col: ColumnOrName) -> Column:
    return call_of(lambda v: tv.fitting(function, "long", tv.need(v, *tv.NUMBERS)), _named(col))


def round(col: ColumnOrName, scale: Any = 0) -> Column:
    """Half away from zero, with 0 digits or more."""
    return call_of(_rounded, _named(col), scale)


def _rounded(value: Typed, digits: Typed) -> Typed:
    if tv.constant_of(digits, int) < 0:
        raise OnlyTheLab("rounding to less than a whole number")
    return tv.applied("round", value.type, tv.need(value, *tv.NUMBERS), digits)


def count(col: ColumnOrName) -> Column:
    if isinstance(col, Star) or (isinstance(col, str) and col == "*"):
        return _fold("count", None, _count)
    return _fold("count", _named(col), _count)


def _count(value: Typed | None) -> tuple[Fold, str, str]:
    if value is None or (value.constant and value.type != "void"):
        return Fold("count"), "long", "count(1)" if value is None else f"count({value.name})"
    return Fold("count", value.of), "long", f"count({value.name})"


def count_if(col: ColumnOrName) -> Column:
    def counted(value: Typed | None) -> tuple[Fold, str, str]:
        assert value is not None
        tv.need(value, "boolean")
        return Fold("count", call("case", value.of, Constant(True))), "long", ""

    return _fold("count_if", _named(col), counted)


def sum(col: ColumnOrName) -> Column:
    return _fold("sum", _named(col), _sum)


def _sum(value: Typed | None) -> tuple[Fold, str, str]:
    assert value is not None
    type = tv.need(value, *tv.NUMBERS).type
    return Fold("sum", value.of), "double" if type == "double" else "long", f"sum({value.name})"


try_sum = sum


def avg(col: ColumnOrName) -> Column:
    return _fold("avg", _named(col), _avg)


mean = avg


def _avg(value: Typed | None) -> tuple[Fold, str, str]:
    assert value is not None
    tv.need(value, *tv.NUMBERS)
    return Fold("avg", value.of), "double", f"avg({value.name})"


def min(col: ColumnOrName) -> Column:
    return _extreme("min", col)


def max(col: ColumnOrName) -> Column:
    return _extreme("max", col)


def _extreme(function: str, col: ColumnOrName) -> Column:
    def found(value: Typed | None) -> tuple[Fold, str, str]:
        assert value is not None
        tv.need(value, *tv.NUMBERS, "string", "timestamp")
        if value.constant:
            raise OnlyTheLab(f"{function} of a literal")
        return Fold(function, value.of), value.type, f"{function}({value.name})"

    return _fold(function, _named(col), found)


def _fold(
    function: str, of: Column | None, made: Callable[[Typed | None], tuple[Fold, str, str]]
) -> Column:
    """An aggregate function as a column; it is resolved only in an aggregation."""

    def resolve(scope: Scope) -> Typed:
        if not isinstance(scope, ResultScope):
            raise OnlyTheLab(f"{function} outside of an aggregation")
        with scope.rows():
            value = None if of is None else resolved(of, scope)
        name_known = value is None or value.name
        fold, type, name = made(value)
        return scope.fold(fold, type, name if name_known else "")

    return Column(resolve)


def struct(*cols: ColumnOrName) -> Column:
    """A window put together again of its own start and end; any other struct is one for the lab."""
    return call_of(_struct, *map(_named, cols))


def _struct(*values: Typed) -> Typed:
    """Not the window itself: what is computed has no watermark."""
    names = [value.of.name if isinstance(value.of, ModelColumn) else "" for value in values]
    window_ = names[0].removesuffix(".start")
    whole = names == [f"{window_}.start", f"{window_}.end"]
    if not whole or [value.name for value in values] != ["start", "end"]:
        raise OnlyTheLab("a struct")
    return Typed(call("coalesce", ModelColumn(window_)), "window")


def broadcast(df: Any) -> Any:
    raise OnlyTheLab("a broadcast of a table")
