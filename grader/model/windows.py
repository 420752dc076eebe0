"""Which windows a time is in, and which sessions merge."""

from __future__ import annotations

from datetime import datetime, timedelta

from grader.model.query import TimeWindow
from grader.model.timestamps import MICROSECOND, Window, after, length, micros, window_time


def windows_of(time: datetime | Window, window: TimeWindow) -> list[Window]:
    """The windows [start, end) that hold a time, the latest first.

    They begin at multiples of the slide after 1970 plus `start` (Spark: TimeWindowing). The window of
    an upstream aggregation counts as its last microsecond (Spark guide: chained time windows).
    """
    point = micros(window_time(time) if isinstance(time, Window) else time)
    duration = length(window.duration)
    slide = (length(window.slide) if window.slide else duration) // MICROSECOND
    offset = length(window.start) // MICROSECOND
    start = point - (point - offset) % slide
    found = []
    while start + duration // MICROSECOND > point:
        found.append(Window(after(start), after(start) + duration))
        start -= slide
    return found


def flow_together(earlier: Window, later: Window) -> bool:
    """Whether two sessions of one key are one, the first not beginning after the second.

    A session that begins exactly at the end of another still belongs to it: `sessionStart <=
    getSessionEnd(currentSession)` in MergingSessionsIterator.
    """
    return later.start <= earlier.end


def session_of(time: datetime, gap: timedelta) -> Window | None:
    """The session of one event alone; None if the gap is not positive (Spark: SessionWindowing)."""
    return Window(time, time + gap) if gap > timedelta() else None
