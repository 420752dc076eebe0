"""Banners too often, too rarely, or by the wrong clock."""

from collections.abc import Iterator
from typing import Any

from pyspark.sql import DataFrame, Row
from pyspark.sql.streaming import StatefulProcessor, StatefulProcessorHandle

TEN_MINUTES = 10 * 60 * 1000


class _Banner(StatefulProcessor):  # type: ignore[misc]
    """The right processor; each wrong answer replaces one part."""

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
    """Time to live extended by every visit

    A visitor who had come in between saw no banner, though the last one was more than ten minutes ago. The
    visit without a banner was written as well, and kept the banner away for ten more minutes. Each update
    starts the time to live again, and each entry of a list has its own. When do you write?
    """

    class EveryVisit(_Banner):
        def handleInputRows(self, key: Any, rows: Iterator[Row], timerValues: Any) -> Iterator[Row]:
            shown = self.shown.exists()
            self.shown.update((0,))
            if not shown:
                yield Row(visitor=key[0], visit_time=min(row.visit_time for row in rows))

    return _told(visits, EveryVisit())


def once_for_ever(visits: DataFrame) -> DataFrame:
    """No time to live

    Every visitor saw the banner once and never again, and the state holds all of them. Without a time to
    live, or with 0, a value stays forever. Python's own clock, such as `time.time()`, does not help. The
    steps follow each other within seconds, and the check sets only the clock that Spark reads. What is the
    third argument of your state variable?
    """

    class ForEver(_Banner):
        ttl = None

    return _told(visits, ForEver())


def seconds_for_milliseconds(visits: DataFrame) -> DataFrame:
    """Time to live too short

    A visitor sees the banner at every visit, because by the next batch the state is empty. The time to live
    is given in milliseconds. Or the state was not written, or was cleared. How long is yours?
    """

    class Seconds(_Banner):
        ttl = 600

    return _told(visits, Seconds())


def by_the_time_of_the_visit(visits: DataFrame) -> DataFrame:
    """Ten minutes by the phone's clock

    A phone whose clock is ahead got a banner too early, and a visit that was sent late got none. The time
    in the row is event time. A time to live uses the clock of the machine on which Spark runs. Which clock
    does your processor read?
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
    """One banner per row

    A visitor with two visits in a batch saw two banners. The task wants one, with the earliest time. How
    often does your `yield` run in one call?
    """

    class EveryRow(_Banner):
        def handleInputRows(self, key: Any, rows: Iterator[Row], timerValues: Any) -> Iterator[Row]:
            if not self.shown.exists():
                self.shown.update((0,))
                for row in rows:
                    yield Row(visitor=key[0], visit_time=row.visit_time)

    return _told(visits, EveryRow())


def a_timer_comes_too_late(visits: DataFrame) -> DataFrame:
    """Timer instead of a time to live

    After ten minutes the visitor's next visit showed no banner, and only the one after that did. In a
    batch, Spark handles the rows first, and then fires the expired timers. State with a time to live has
    expired before the rows are handled. Which one do you use?
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


def first_row_of_the_batch(visits: DataFrame) -> DataFrame:
    """Time of the first row instead of the earliest

    In step 1 ana has two visits in one batch, and her banner has the time of 09:59:59. The earlier visit is of
    09:59:57. The rows of a group arrive in no promised order. How do you find the earliest time?
    """

    class FirstRow(_Banner):
        def handleInputRows(self, key: Any, rows: Iterator[Row], timerValues: Any) -> Iterator[Row]:
            if not self.shown.exists():
                self.shown.update((0,))
                yield Row(visitor=key[0], visit_time=next(rows).visit_time)

    return _told(visits, FirstRow())
