"""Event time: timestamps as Spark keeps them, lengths of time, and how both are written."""

from __future__ import annotations

import re
from datetime import datetime, timedelta, timezone
from functools import lru_cache
from typing import NamedTuple

from grader.model.unsupported import NotModelled

EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)  # where every watermark begins
MICROSECOND = timedelta(microseconds=1)  # the grain of Spark's timestamps
MILLISECOND = timedelta(milliseconds=1)  # the grain of its watermarks
_UNITS = ("microsecond", "millisecond", "second", "minute", "hour", "day", "week")
_INTERVAL = re.compile(r"^interval\s+", re.I)
_PART = re.compile(rf"(-?\d+)\s+({'|'.join(_UNITS)})s?\b\s*", re.I)


class Window(NamedTuple):
    """From `start` on, up to but without `end`."""

    start: datetime
    end: datetime


@lru_cache(maxsize=1024)
def length(text: str) -> timedelta:
    """A length of time as Spark writes it, such as "1 hour 30 minutes"; NotModelled for months."""
    rest, total = _INTERVAL.sub("", text.strip()), timedelta()
    while rest:
        part = _PART.match(rest)
        if part is None:
            raise NotModelled(f"{text!r} is no number and unit among {', '.join(_UNITS)}")
        total += timedelta(**{f"{part[2].lower()}s": int(part[1])})
        rest = rest[part.end() :]
    return total


def in_microseconds(length: timedelta) -> str:
    """A length of time as `length` reads it."""
    return f"{length // MICROSECOND} microseconds"


def moment(text: str) -> datetime:
    """A timestamp in ISO 8601; without a zone it is UTC, the zone of the lab's sessions."""
    try:
        found = datetime.fromisoformat(text.replace("Z", "+00:00"))
    except ValueError as error:
        raise NotModelled(f"{text!r} is no timestamp in ISO 8601") from error
    return found.replace(tzinfo=found.tzinfo or timezone.utc).astimezone(timezone.utc)


def window_time(window: Window) -> datetime:
    """The last moment in a window, by which the next window is chosen (Spark: `window_time`)."""
    return window.end - MICROSECOND


def micros(time: datetime) -> int:
    """Microseconds since 1970."""
    return (time - EPOCH) // MICROSECOND


def after(count: int, grain: timedelta = MICROSECOND) -> datetime:
    """The moment so many grains after 1970; NotModelled beyond the year 9999."""
    try:
        return EPOCH + count * grain
    except OverflowError as error:
        raise NotModelled(f"{count} × {grain} after 1970 is beyond the year 9999") from error


def to_the_millisecond(time: datetime) -> datetime:
    """What a watermark keeps of a timestamp (EventTimeWatermarkExec: `microsToMillis`)."""
    return time - timedelta(microseconds=time.microsecond % 1000)


def written(watermark: datetime) -> str | None:
    """A watermark as Spark's progress reports it; None while no event has set one."""
    if watermark <= EPOCH:
        return None
    return watermark.strftime("%Y-%m-%dT%H:%M:%S.") + f"{watermark.microsecond // 1000:03d}Z"


def as_json(time: datetime) -> str:
    """A timestamp in a row as recordings hold it, with microseconds."""
    return time.strftime("%Y-%m-%dT%H:%M:%S.%fZ")
