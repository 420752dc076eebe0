"""The model with one of its rules changed: what a wrong idea of Structured Streaming would do."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from grader.model.deduplication import Deduplicating
from grader.model.grouping import Group, Grouping, Session, Sessions
from grader.model.operators import Batch, Row, Watching
from grader.model.query import Interval, TimeWindow
from grader.model.run import Run
from grader.model.stream_join import Pairing
from grader.model.timestamps import (
    EPOCH,
    MICROSECOND,
    MILLISECOND,
    Window,
    length,
    to_the_millisecond,
)
from grader.model.watermark import Tracker


class OneWatermarkABatch(Run):
    """A batch drops by the same watermark by which it evicts."""

    def watermarks(self) -> tuple[datetime, datetime]:
        return self.watermark, self.watermark


class ClosesInTheNextStep(OneWatermarkABatch):
    """No closing batch: what the watermark has passed is emitted with the next step's events."""

    def another(self) -> bool:
        return False


class NothingIsLate(Run):
    def watermarks(self) -> tuple[datetime, datetime]:
        return EPOCH, self.watermark


class PassedOnlyBeyond(Run):
    """What ends at the watermark itself is not passed yet."""

    def watermarks(self) -> tuple[datetime, datetime]:
        return _short_of(self.before), _short_of(self.watermark)


def _short_of(watermark: datetime) -> datetime:
    return watermark if watermark == EPOCH else watermark - MILLISECOND


class NewestOfTheStep(Tracker):
    """The watermark is based only on the last step, and may go back."""

    def observe(self, newest: Mapping[int, datetime | None]) -> None:
        if any(time is not None for time in newest.values()):
            self.watermark = EPOCH
            super().observe(newest)


class GoesBack(Run):
    def tracker(self) -> Tracker:
        return NewestOfTheStep(self.query.policy, self.watermark)

    def another(self) -> bool:
        return self.watermark != self.before


class RemembersSilentStreams(Run):
    """A stream without events in a step stays where it was."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self.old_watermarks: dict[int, datetime] = {}

    def tracker(self) -> Tracker:
        return Tracker(self.query.policy, self.watermark, self.old_watermarks)


class LastEventCounts(Watching):
    """It follows the event that came last, whatever its time."""

    def run(self, batch: Batch) -> list[Row]:
        rows = super().run(batch)
        if rows:
            self.newest = to_the_millisecond(rows[-1].values[self.column]) - self.delay
        return rows


class OneWindowAnEvent(Grouping):
    """An event goes into the latest of the windows that slide over it, and into no other."""

    def choices(self, key: Any, row: Row) -> list[Any]:
        return super().choices(key, row)[:1]


class WindowsHoldTheirEnd(Grouping):
    """An event at the border of two windows belongs to the one that ends there."""

    def choices(self, key: Any, row: Row) -> list[Any]:
        time = row.values[key.time] if isinstance(key, TimeWindow) else None
        if not isinstance(time, datetime):
            return super().choices(key, row)
        shifted = {**row.values, key.time: time - MICROSECOND}
        return super().choices(key, replace(row, values=shifted))


class GapFromTheFirst(Sessions):
    """A session lasts the gap from its first event on."""

    def one(self, a: Session, b: Session) -> Session:
        return replace(super().one(a, b), window=a.window)


class GapMustBeShorter(Sessions):
    """An event exactly at the end of a session begins a new one."""

    def together(self, earlier: Window, later: Window) -> bool:
        return later.start < earlier.end


class SessionsStayApart(Sessions):
    """An event joins one session that it touches; sessions in the state stay apart."""

    def write(self, group: Group, new: list[Session]) -> None:
        standing = list(self.state.get(group, []))
        for session in sorted(new, key=lambda s: s.window.start):
            place = next((n for n, s in enumerate(standing) if self._touch(s, session)), None)
            if place is None:
                standing.append(session)
            else:
                standing[place] = self._joined(standing[place], session)
        self.counted.rows_updated += len(standing)
        self.state[group] = standing

    def _touch(self, a: Session, b: Session) -> bool:
        first, second = sorted((a.window, b.window), key=lambda w: w.start)
        return self.together(first, second)

    def _joined(self, a: Session, b: Session) -> Session:
        start = min(a.window.start, b.window.start)
        return replace(self.one(a, b), window=Window(start, max(a.window.end, b.window.end)))


class EndsAtItsLastEvent(Sessions):
    def _rows(self, sessions: Iterable[tuple[Group, Session]]) -> list[Row]:
        gap = length(str(self.window.gap))
        return super()._rows(
            (group, replace(s, window=Window(s.window.start, s.window.end - gap)))
            for group, s in sessions
        )


class ForgetsAtItsTime(Deduplicating):
    """An id is evicted when the watermark has reached the event's time."""

    def until(self, row: Row) -> datetime | None:
        until = super().until(row)
        return until if self.time is None or until is None else row.values[self.time]


class DuplicatesRenew(Deduplicating):
    """A duplicate keeps its id in state for one more delay."""

    def answer(self, batch: Batch) -> list[Row]:
        passed = super().answer(batch)
        for row in self.inputs[0].run(batch):
            key = tuple(row.values[name] for name in self.columns)
            before, again = self.state.get(key), self.until(row)
            if before is not None and again is not None:
                self.state[key] = max(before, again)
        return passed


class RemembersNoStep(Deduplicating):
    """Duplicates are found only within a step."""

    def answer(self, batch: Batch) -> list[Row]:
        passed = super().answer(batch)
        self.state.clear()
        return passed


class JoinsOneStep(Pairing):
    """Rows of different steps do not meet."""

    def answer(self, batch: Batch) -> list[Row]:
        rows = super().answer(batch)
        for side in (self.left, self.right):
            side.state.clear()
        return rows


class WaitsForItsOwnTime(Pairing):
    """A row waits until the watermark has passed its time, whatever the interval."""

    def limit(self, within: Interval) -> None:
        super().limit(within)
        for side in (self.left, self.right):
            if side.offset is not None:
                side.offset = timedelta()


class NullsAtOnce(Pairing):
    """A row without a partner in its own step is emitted there with nulls."""

    def limit(self, within: Interval) -> None:
        super().limit(within)
        if self.node.kind == "left":
            self.left.offset = timedelta(days=365 * 100)  # its time is over whatever the watermark
