"""Functions of one row that the page's front end reads: text, numbers, times; what Spark casts is a function, too.

Arguments are never null. A value that Spark computes by rules of its own raises NotModelled.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from datetime import datetime, timedelta
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

from grader.model.timestamps import MICROSECOND, Window, after, micros, moment, window_time
from grader.model.unsupported import NotModelled

_WHOLE = re.compile(r"[+-]?\d{1,18}")
_ISO = re.compile(r"\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d(\.\d{1,6})?)?(Z|[+-]\d\d:\d\d)?)?")


def _fitting(bits: int) -> Callable[[Any], Any]:
    def fit(value: Any) -> Any:
        if not -(2 ** (bits - 1)) <= value < 2 ** (bits - 1):
            raise NotModelled(f"{value} in {bits} bits: Spark ends the query with an overflow")
        return value

    return fit


def _remainder(a: Any, b: Any) -> Any:
    """The remainder has the sign of the dividend, as in Java."""
    if b == 0:
        raise NotModelled("a remainder by zero: Spark ends the query with REMAINDER_BY_ZERO")
    if isinstance(a, float) or isinstance(b, float):
        return math.fmod(a, b)
    rest = abs(a) % abs(b)
    return -rest if a < 0 else rest


def _ascii(change: Callable[[str], Any]) -> Callable[[str], Any]:
    def changed(text: str) -> Any:
        if not text.isascii():
            raise NotModelled(f"{text!r} in other letters")
        return change(text)

    return changed


def _substring(text: str, start: int, length: int) -> str:
    """From 1 on; 0 is 1, and a negative start counts from the end."""
    begin = start - 1 if start > 0 else len(text) + start if start < 0 else 0
    return text[max(begin, 0) : max(begin + length, 0)]


def _like(text: str, pattern: str) -> bool:
    parts = [".*" if sign == "%" else "." if sign == "_" else re.escape(sign) for sign in pattern]
    return re.fullmatch("".join(parts), text, re.S) is not None


def _rounded(value: Any, digits: int) -> Any:
    if isinstance(value, int):
        return value
    _finite(value)
    shift = Decimal(1).scaleb(-digits)
    return float(Decimal(repr(value)).quantize(shift, ROUND_HALF_UP))


def _finite(value: Any) -> Any:
    if isinstance(value, float) and not math.isfinite(value):
        raise NotModelled(f"{value} as a whole number")
    return value


def _number(text: str) -> int:
    if not _WHOLE.fullmatch(text):
        raise NotModelled(f"{text!r} as a number")
    return int(text)


def _time(text: str) -> datetime:
    if not _ISO.fullmatch(text):
        raise NotModelled(f"{text!r} as a timestamp")
    return moment(text)


def _text(value: Any) -> str:
    """A value as a cast to STRING writes it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, datetime):
        text = value.strftime("%Y-%m-%d %H:%M:%S.%f")
        return text.rstrip("0").rstrip(".") if value.year > 999 else text
    if isinstance(value, int | str):
        return str(value)
    raise NotModelled(f"{value!r} as text")


def _moved(time: datetime, by: timedelta) -> datetime:
    try:
        return time + by
    except OverflowError as error:
        raise NotModelled(f"{time} moved by {by}") from error


def _tumbled(time: datetime | Window, duration: timedelta, start: timedelta) -> Window:
    """The window of a length that holds a time, as `window` in a select makes it."""
    point = micros(window_time(time) if isinstance(time, Window) else time)
    begin = point - (point - start // MICROSECOND) % (duration // MICROSECOND)
    return Window(after(begin), after(begin) + duration)


SCALAR_FUNCTIONS: dict[str, Callable[..., Any]] = {
    "fits_integer": _fitting(32),
    "fits_long": _fitting(64),
    "%": _remainder,
    "negative": lambda a: -a,
    "absolute": abs,
    "floor": lambda a: math.floor(_finite(a)),
    "ceiling": lambda a: math.ceil(_finite(a)),
    "round": _rounded,
    "lower": _ascii(str.lower),
    "upper": _ascii(str.upper),
    "trim": lambda text: text.strip(" "),
    "length": len,
    "concat": lambda *texts: "".join(texts),
    "substring": _substring,
    "position": lambda text, part: text.find(part) + 1,
    "ends_with": lambda text, end: text.endswith(end),
    "contains": lambda text, part: part in text,
    "like": _like,
    "number_of": _number,
    "time_of": _time,
    "text_of": _text,
    "moved": _moved,
    "apart": lambda one, other: one - other,
    "tumbled": _tumbled,
    "unix_seconds": lambda time: micros(time) // 1_000_000,
    "unix_millis": lambda time: micros(time) // 1_000,
    "unix_micros": micros,
    "timestamp_micros": after,
    "hour": lambda time: time.hour,
    "minute": lambda time: time.minute,
    "second": lambda time: time.second,
}
# functions whose arguments are of several types
OF_SEVERAL_TYPES = ("round", "substring", "moved", "tumbled")
