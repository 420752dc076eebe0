"""Other right repairs."""

import heapq
from collections.abc import Iterator
from typing import Any

from pyspark.sql import DataFrame, Row
from pyspark.sql.streaming import StatefulProcessor, StatefulProcessorHandle

HOUR = 60 * 60 * 1000


def _means(quotes: DataFrame, processor: StatefulProcessor) -> DataFrame:
    return (
        quotes.withWatermark("time", "1 minute")
        .groupBy("fruit")
        .transformWithState(
            processor,
            outputStructType="fruit STRING, mean DOUBLE, prices INT",
            outputMode="Append",
            timeMode="EventTime",
        )
    )


def cleared_and_appended(quotes: DataFrame) -> DataFrame:
    """Keeps `appendList` and clears the list before; empties the list on self for each group."""

    class RecentPrices(StatefulProcessor):  # type: ignore[misc]
        def init(self, handle: StatefulProcessorHandle) -> None:
            self.handle = handle
            self.recent = handle.getListState("recent", "price DOUBLE, ms LONG")
            self.batch: list[tuple[float, int]] = []

        def handleInputRows(self, key: Any, rows: Iterator[Row], timerValues: Any) -> Iterator[Row]:
            self.batch = [(row.price, int(row.time.timestamp() * 1000)) for row in rows]
            found = [*self.recent.get(), *self.batch]
            newest = heapq.nlargest(3, found, key=lambda price: price[1])
            self.recent.clear()
            self.recent.appendList(newest)
            for timer in list(self.handle.listTimers()):
                self.handle.deleteTimer(timer)
            self.handle.registerTimer(newest[0][1] + HOUR)
            yield Row(
                fruit=key[0],
                mean=sum(price for price, _ in newest) / len(newest),
                prices=len(newest),
            )

        def handleExpiredTimer(
            self, key: Any, timerValues: Any, expiredTimerInfo: Any
        ) -> Iterator[Row]:
            self.recent.clear()
            return iter([])

    return _means(quotes, RecentPrices())


def a_timer_that_asks(quotes: DataFrame) -> DataFrame:
    """Leaves old timers, and a timer that fires clears only if the newest price is an hour old."""

    class RecentPrices(StatefulProcessor):  # type: ignore[misc]
        def init(self, handle: StatefulProcessorHandle) -> None:
            self.handle = handle
            self.recent = handle.getListState("recent", "price DOUBLE, ms LONG")

        def handleInputRows(self, key: Any, rows: Iterator[Row], timerValues: Any) -> Iterator[Row]:
            new = [(row.price, int(row.time.timestamp() * 1000)) for row in rows]
            newest = sorted([*self.recent.get(), *new], key=lambda price: price[1])[-3:]
            self.recent.put(newest)
            self.handle.registerTimer(newest[-1][1] + HOUR)
            mean = sum(price for price, _ in newest) / len(newest)
            yield Row(fruit=key[0], mean=mean, prices=len(newest))

        def handleExpiredTimer(
            self, key: Any, timerValues: Any, expiredTimerInfo: Any
        ) -> Iterator[Row]:
            newest = max((ms for _, ms in self.recent.get()), default=0)
            if newest + HOUR <= expiredTimerInfo.getExpiryTimeInMs():
                self.recent.clear()
            return iter([])

    return _means(quotes, RecentPrices())


def the_timer_in_a_value(quotes: DataFrame) -> DataFrame:
    """Keeps the time of its timer in a variable of its own, as the parcel watch does."""

    class RecentPrices(StatefulProcessor):  # type: ignore[misc]
        def init(self, handle: StatefulProcessorHandle) -> None:
            self.handle = handle
            self.recent = handle.getListState("recent", "price DOUBLE, ms LONG")
            self.timer = handle.getValueState("timer", "ms LONG")

        def handleInputRows(self, key: Any, rows: Iterator[Row], timerValues: Any) -> Iterator[Row]:
            new = [(row.price, int(row.time.timestamp() * 1000)) for row in rows]
            newest = sorted([*self.recent.get(), *new], key=lambda price: price[1])[-3:]
            self.recent.put(newest)
            (old,) = self.timer.get() or (0,)
            if old:
                self.handle.deleteTimer(old)
            self.timer.update((newest[-1][1] + HOUR,))
            self.handle.registerTimer(newest[-1][1] + HOUR)
            mean = sum(price for price, _ in newest) / len(newest)
            yield Row(fruit=key[0], mean=mean, prices=len(newest))

        def handleExpiredTimer(
            self, key: Any, timerValues: Any, expiredTimerInfo: Any
        ) -> Iterator[Row]:
            self.recent.clear()
            self.timer.clear()
            return iter([])

    return _means(quotes, RecentPrices())


def prices_in_a_map(quotes: DataFrame) -> DataFrame:
    """Keeps the three newest prices in a map, by their place."""

    class RecentPrices(StatefulProcessor):  # type: ignore[misc]
        def init(self, handle: StatefulProcessorHandle) -> None:
            self.handle = handle
            self.recent = handle.getMapState("recent", "place INT", "price DOUBLE, ms LONG")

        def handleInputRows(self, key: Any, rows: Iterator[Row], timerValues: Any) -> Iterator[Row]:
            new = [(row.price, int(row.time.timestamp() * 1000)) for row in rows]
            kept = [tuple(price) for _, price in self.recent.iterator()]
            newest = sorted([*kept, *new], key=lambda price: price[1])[-3:]
            for place, price in enumerate(newest):
                self.recent.updateValue((place,), price)
            for timer in list(self.handle.listTimers()):
                self.handle.deleteTimer(timer)
            self.handle.registerTimer(newest[-1][1] + HOUR)
            mean = sum(price for price, _ in newest) / len(newest)
            yield Row(fruit=key[0], mean=mean, prices=len(newest))

        def handleExpiredTimer(
            self, key: Any, timerValues: Any, expiredTimerInfo: Any
        ) -> Iterator[Row]:
            self.recent.clear()
            return iter([])

    return _means(quotes, RecentPrices())
