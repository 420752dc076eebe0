"""Points in time as rows, events and watermarks hold them: ISO 8601 strings."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta, timezone
from typing import Any

_EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)
_TIME = re.compile(r"([+-]\d+|\d{4})-\d\d-\d\dT\d\d:\d\d:\d\d[\d.]*(Z|[+-]\d\d:?\d\d)?$")
_FAR_YEAR = re.compile(r"[+-]\d{4,}-")


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
    """The same instant, always written the same way (UTC, microseconds if there are any)."""
    if _beyond(text):
        return text
    return moment(text).astimezone(timezone.utc).isoformat().replace("+00:00", "Z")


def _beyond(text: str) -> bool:
    """Whether a year has more than four digits, as when milliseconds are read as seconds."""
    return _FAR_YEAR.match(text) is not None


def micros(text: str) -> int:
    """Microseconds since 1970."""
    return (moment(text) - _EPOCH) // timedelta(microseconds=1)


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


def times_in(value: Any) -> Iterator[str]:
    """The times in a value, such as a row or an event, those in its structs and lists as well."""
    if is_time(value):
        yield value
    elif isinstance(value, dict | list):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from times_in(inner)


def several_days(times: Iterable[str | None]) -> bool:
    """Whether ISO times are on more than one day (in UTC), so that the clock time alone is ambiguous."""
    known = [time for time in times if time and not _beyond(time)]
    return len({moment(time).astimezone(timezone.utc).date() for time in known}) > 1


def clock(text: str | None, *, days: bool = False) -> str:
    """HH:MM:SS of an ISO time in UTC (with the fraction, if there is one), with its date if `days`.

    A date in the wrong century is always shown: it is what a wrong unit of time looks like.
    """
    if text is None:
        return "none yet"
    if _beyond(text):
        return text
    time = moment(text).astimezone(timezone.utc)
    date = f"{time.date()} " if days or time.year < 2000 else ""
    fraction = f".{time.microsecond:06d}".rstrip("0") if time.microsecond else ""
    return f"{date}{time:%H:%M:%S}{fraction}"
