"""Banners too often, too seldom, or by the wrong clock."""

from collections.abc import Iterator
from typing import Any

from pyspark.sql import DataFrame, Row
from pyspark.sql.streaming import StatefulProcessor, StatefulProcessorHandle

TEN_MINUTES = 10 * 60 * 1000


class _Banner(StatefulProcessor):  # type: ignore[misc]
    """The right one; each wrong answer puts one piece in another way."""

    ttl: int | None = TEN_MINUTES

    def init(self, handle: StatefulProcessorHandle) -> None:
        self.handle = handle
        self.shown = handle.getValueState("shown", "ms LONG", self.ttl)

    def handleInputRows(self, key: Any, rows: Iterator[Row], timerValues: Any) -> Iterator[Row]:
        if not self.shown.exists():
            self.shown.update((0,))
            yield Row(visitor=key[0], visit_time=min(row.visit_time for row in rows))


def _told(visits: DataFrame, processor: StatefulProcessor) -> DataFrame:
    return visits.groupBy("visitor").transformWithState(
        processor,
        outputStructType="visitor STRING, visit_time TIMESTAMP",
        outputMode="Update",
        timeMode="ProcessingTime",
    )


def every_visit_counts(visits: DataFrame) -> DataFrame:
    """Whoever comes often sees no banner

    A visitor who had come in between saw no banner, though the last one was more than ten minutes ago.
    His visit without a banner was written down as well, and kept the banner away for ten minutes more:
    each update begins the time to live anew, and each entry of a list has one of its own. When is there
    something to write down?
    """

    class EveryVisit(_Banner):
        def handleInputRows(self, key: Any, rows: Iterator[Row], timerValues: Any) -> Iterator[Row]:
            shown = self.shown.exists()
            self.shown.update((0,))
            if not shown:
                yield Row(visitor=key[0], visit_time=min(row.visit_time for row in rows))

    return _told(visits, EveryVisit())


def once_for_ever(visits: DataFrame) -> DataFrame:
    """One banner for ever

    Every visitor saw the banner once and never again, and the state holds all of them. How long does
    a value stay that is written without a time to live (0 is none), or with one far longer than the
    task's? Python's own clock (`time.time()`, `datetime.now()`) does not help: the steps follow each
    other within seconds, and the check sets only the clock that Spark reads.
    """

    class ForEver(_Banner):
        ttl = None

    return _told(visits, ForEver())


def seconds_for_milliseconds(visits: DataFrame) -> DataFrame:
    """A banner in every batch

    A visitor sees the banner whenever he comes: by the next batch nothing was known of him. The time
    to live is given in milliseconds. Or the state was not written, or cleared again.
    """

    class Seconds(_Banner):
        ttl = 600

    return _told(visits, Seconds())


def by_the_time_of_the_visit(visits: DataFrame) -> DataFrame:
    """Ten minutes by the clock of the phone

    A phone whose clock is ahead got a banner too early, and a visit that was sent late got none. The
    time in the row is event time. Time to live goes by the clock of the machine on which Spark runs.
    """

    class ByVisit(_Banner):
        ttl = None

        def handleInputRows(self, key: Any, rows: Iterator[Row], timerValues: Any) -> Iterator[Row]:
            (last,) = self.shown.get() or (0,)
            first = min(row.visit_time for row in rows)
            ms = int(first.timestamp() * 1000)
            if ms >= last + TEN_MINUTES:
                self.shown.update((ms,))
                yield Row(visitor=key[0], visit_time=first)

    return _told(visits, ByVisit())


def every_row_a_banner(visits: DataFrame) -> DataFrame:
    """Two banners in one batch

    A visitor with two visits in a batch saw two banners. The task wants one, with the earliest time.
    """

    class EveryRow(_Banner):
        def handleInputRows(self, key: Any, rows: Iterator[Row], timerValues: Any) -> Iterator[Row]:
            if not self.shown.exists():
                self.shown.update((0,))
                for row in rows:
                    yield Row(visitor=key[0], visit_time=row.visit_time)

    return _told(visits, EveryRow())


def a_timer_comes_too_late(visits: DataFrame) -> DataFrame:
    """A batch too late

    After ten minutes the visitor's next visit showed nothing, and only the one after that did. That is
    what a timer does: in a batch Spark gives out the rows first, and then fires the timers that are
    due. State with a time to live is gone before the rows come.
    """

    class WithTimer(_Banner):
        ttl = None

        def handleInputRows(self, key: Any, rows: Iterator[Row], timerValues: Any) -> Iterator[Row]:
            if not self.shown.exists():
                self.shown.update((0,))
                now = timerValues.getCurrentProcessingTimeInMs()
                self.handle.registerTimer(now + TEN_MINUTES)
                yield Row(visitor=key[0], visit_time=min(row.visit_time for row in rows))

        def handleExpiredTimer(
            self, key: Any, timerValues: Any, expiredTimerInfo: Any
        ) -> Iterator[Row]:
            self.shown.clear()
            return iter([])

    return _told(visits, WithTimer())
