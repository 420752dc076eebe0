"""Stretches of event time that rows are about: windows, sessions, the two times of a joined row."""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from math import gcd

from grader.feedback.lens.axis import moment_at
from grader.feedback.lens.operator_table import is_session, names_of
from grader.judging.instants import is_time, is_window, micros
from grader.judging.rows import Row, same
from grader.scenario import Event
from grader.scenario.recording import Recording

Stretch = tuple[float, float]  # microseconds since 1970


@dataclass(frozen=True)
class Grid:
    """Windows of one length, one every `slide` (microseconds); tumbling if the two are the same.

    Not `sure` if there may have been others, which the run does not show.
    """

    length: int
    slide: int
    offset: int
    sure: bool = True

    @property
    def tumbling(self) -> bool:
        return self.sure and self.length == self.slide

    def last_end(self, time: float) -> float:
        """The end of the last window that contains a time."""
        return (time - self.offset) // self.slide * self.slide + self.offset + self.length


def grid_of(recording: Recording) -> Grid | None:
    """The windows that events are sorted into; None if the run has none or does not show them."""
    names = names_of(recording)
    if is_session(recording) or not names or names[0] != "aggregation":
        return None
    seen = {
        stretch
        for batch in recording.batches
        for row in [*batch.rows, *batch.state]
        if (stretch := window_of(row)) is not None
    }
    lengths = {int(end - start) for start, end in seen}
    # each operator of a chain has its own window length; the first one's is the shortest
    if len(lengths) != len(names) or min(lengths) <= 0:  # times beyond the calendar are one moment
        return None
    length = min(lengths)
    starts = sorted(int(start) for start, end in seen if end - start == length)
    slide = reduce(gcd, (start - starts[0] for start in starts), length)
    return Grid(length, slide, starts[0] % slide, _all_seen(recording, starts[0] + length, length))


def _all_seen(recording: Recording, end: int, length: int) -> bool:
    """Whether a window over some of the events of the first one seen, which ends at `end`, would have been seen."""
    if recording.plan.output_mode in ("update", "complete") or any(
        b.state for b in recording.batches
    ):
        return True
    last = recording.watermark_after(recording.steps)
    return last is not None and micros(last) >= end + length


def window_of(row: Row) -> Stretch | None:
    """A row's window or session; None if it has none."""
    for value in row.values():
        if is_window(value):
            return float(micros(value["start"])), float(micros(value["end"]))
    return None


def span_of(row: Row) -> Stretch | None:
    """The stretch of time that a row is about: its window, or the range of its timestamps."""
    times = times_of(row)
    between = (times[0], times[-1]) if len(times) > 1 and times[0] < times[-1] else None
    return window_of(row) or between


def times_of(row: Row) -> list[float]:
    return sorted(float(micros(v)) for v in row.values() if is_time(v))


def starts_session(event: Event, time: float, recording: Recording) -> bool:
    """Whether a session that this run kept or emitted begins with exactly this event."""
    value = event.value if isinstance(event.value, dict) else {}
    return any(
        (stretch := window_of(row)) is not None
        and stretch[0] == time
        and all(same(row[name], value[name]) for name in row.keys() & value.keys())
        for batch in recording.batches
        if batch.step >= event.step
        for row in [*batch.rows, *batch.state]
    )


def time_text(time: float) -> str:
    """HH:MM:SS of microseconds since 1970, with milliseconds where there are some."""
    moment = moment_at(time)
    return moment.time().isoformat("milliseconds" if moment.microsecond // 1000 else "seconds")


def length_text(length: float) -> str:
    """A window's length in its largest whole unit: `5 min`."""
    seconds = length / 1e6
    for name, unit in (("d", 86400), ("h", 3600), ("min", 60)):
        if seconds >= unit and seconds % unit == 0:
            return f"{seconds / unit:g} {name}"
    return f"{seconds:g} s"
