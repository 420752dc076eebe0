"""Answers to the banner every ten minutes."""

from collections.abc import Iterator
from typing import Any

from pyspark.sql import DataFrame, Row
from pyspark.sql.streaming import StatefulProcessor, StatefulProcessorHandle

TEN_MINUTES = 10 * 60 * 1000
OUT = "visitor STRING, visit_time TIMESTAMP"


def _told(visits: DataFrame, processor: StatefulProcessor) -> DataFrame:
    return visits.groupBy("visitor").transformWithState(
        processor, outputStructType=OUT, outputMode="Update", timeMode="ProcessingTime"
    )


def _first(key: Any, rows: Iterator[Row]) -> Row:
    return Row(visitor=key[0], visit_time=min(row.visit_time for row in rows))


class _Shown(StatefulProcessor):
    """When the banner was shown, by Spark's clock; without a time to live."""

    def init(self, handle: StatefulProcessorHandle) -> None:
        self.handle = handle
        self.shown = handle.getValueState("shown", "ms LONG")

    def over(self, now: int, shown: int) -> bool:
        return now - shown >= TEN_MINUTES

    def handleInputRows(self, key: Any, rows: Iterator[Row], timerValues: Any) -> Iterator[Row]:
        now = timerValues.getCurrentProcessingTimeInMs()
        shown = self.shown.get()
        if shown is None or self.over(now, shown[0]):
            self.shown.update((now,))
            self.begun(now)
            yield _first(key, rows)

    def begun(self, now: int) -> None:
        pass


def right_a_value_and_a_timer(visits: DataFrame) -> DataFrame:
    """No time to live: compares with the clock itself, and a timer takes the value away for whom nobody asks."""

    class Banner(_Shown):
        def begun(self, now: int) -> None:
            for timer in list(self.handle.listTimers()):
                self.handle.deleteTimer(timer)
            self.handle.registerTimer(now + TEN_MINUTES)

        def handleExpiredTimer(
            self, key: Any, timerValues: Any, expiredTimerInfo: Any
        ) -> Iterator[Row]:
            self.shown.clear()
            return iter([])

    return _told(visits, Banner())


def right_a_list_with_a_time_to_live(visits: DataFrame) -> DataFrame:
    """A list state of banners, each entry with its time to live; shown if the list is empty."""

    class Banner(StatefulProcessor):
        def init(self, handle: StatefulProcessorHandle) -> None:
            self.shown = handle.getListState("shown", "visit STRING", TEN_MINUTES)

        def handleInputRows(self, key: Any, rows: Iterator[Row], timerValues: Any) -> Iterator[Row]:
            if list(self.shown.get()):
                return iter([])
            banner = _first(key, rows)
            self.shown.put([(str(banner.visit_time),)])
            return iter([banner])

    return _told(visits, Banner())


def right_two_values(visits: DataFrame) -> DataFrame:
    """Two values with a time to live, one of which nobody reads; earliest visit by sorting."""

    class Banner(StatefulProcessor):
        def init(self, handle: StatefulProcessorHandle) -> None:
            self.shown = handle.getValueState("shown", "yes BOOLEAN", TEN_MINUTES)
            self.visits = handle.getValueState("visits", "n INT", ttlDurationMs=TEN_MINUTES)

        def handleInputRows(self, key: Any, rows: Iterator[Row], timerValues: Any) -> Iterator[Row]:
            found = sorted(row.visit_time for row in rows)
            if self.shown.get() is None:
                self.shown.update((True,))
                self.visits.update((len(found),))
                yield Row(visit_time=found[0], visitor=key[0])

    return visits.groupBy("visitor").transformWithState(
        Banner(), "visit_time TIMESTAMP, visitor STRING", "append", "processingtime"
    )


def wrong_by_pythons_clock(visits: DataFrame) -> DataFrame:
    """Compares with time.time(), which the check does not set."""

    class Banner(_Shown):
        def handleInputRows(self, key: Any, rows: Iterator[Row], timerValues: Any) -> Iterator[Row]:
            import time

            now = int(time.time() * 1000)
            (last,) = self.shown.get() or (0,)
            if now - last >= TEN_MINUTES:
                self.shown.update((now,))
                yield _first(key, rows)

    return _told(visits, Banner())


def wrong_a_millisecond_more(visits: DataFrame) -> DataFrame:
    """A time to live that is a millisecond too long."""

    class Banner(StatefulProcessor):
        def init(self, handle: StatefulProcessorHandle) -> None:
            self.shown = handle.getValueState("shown", "yes BOOLEAN", TEN_MINUTES + 1)

        def handleInputRows(self, key: Any, rows: Iterator[Row], timerValues: Any) -> Iterator[Row]:
            if not self.shown.exists():
                self.shown.update((True,))
                yield _first(key, rows)

    return _told(visits, Banner())
