"""Answers to the repair of the three prices."""

from collections.abc import Iterator
from typing import Any

import pandas as pd
from pyspark.sql import DataFrame, Row
from pyspark.sql.streaming import StatefulProcessor, StatefulProcessorHandle

HOUR = 60 * 60 * 1000
OUT = "fruit STRING, mean DOUBLE, prices INT"
Price = tuple[float, int]


class _Recent(StatefulProcessor):
    def init(self, handle: StatefulProcessorHandle) -> None:
        self.handle = handle
        self.recent = handle.getListState("recent", "price DOUBLE, ms LONG")

    def handleInputRows(self, key: Any, rows: Iterator[Row], timerValues: Any) -> Iterator[Row]:
        new = [(row.price, int(row.time.timestamp() * 1000)) for row in rows]
        newest = self.newest([*map(tuple, self.recent.get()), *new])
        self.recent.put(newest)
        self.set_timer(newest)
        yield Row(fruit=key[0], mean=self.mean(newest), prices=len(newest))

    def mean(self, newest: list[Price]) -> float:
        return sum(price for price, _ in newest) / len(newest)

    def newest(self, found: list[Price]) -> list[Price]:
        return sorted(found, key=lambda price: price[1])[-3:]

    def set_timer(self, newest: list[Price]) -> None:
        for timer in list(self.handle.listTimers()):
            self.handle.deleteTimer(timer)
        self.handle.registerTimer(newest[-1][1] + HOUR)

    def handleExpiredTimer(
        self, key: Any, timerValues: Any, expiredTimerInfo: Any
    ) -> Iterator[Row]:
        self.recent.clear()
        return iter([])


def _means(quotes: DataFrame, processor: StatefulProcessor) -> DataFrame:
    return (
        quotes.withWatermark("time", "1 minute")
        .groupBy("fruit")
        .transformWithState(
            processor, outputStructType=OUT, outputMode="Append", timeMode="EventTime"
        )
    )


def right_with_pandas(quotes: DataFrame) -> DataFrame:
    """With pandas, and arrays in one value; the timer is moved only where the newest price has changed."""

    class RecentPrices(StatefulProcessor):
        def init(self, handle: StatefulProcessorHandle) -> None:
            self.handle = handle
            self.kept = handle.getValueState("kept", "prices ARRAY<DOUBLE>, ms ARRAY<LONG>")

        def handleInputRows(
            self, key: Any, rows: Iterator[pd.DataFrame], timerValues: Any
        ) -> Iterator[pd.DataFrame]:
            prices, times = self.kept.get() or ([], [])
            found = list(zip(times, prices, strict=True))
            before = int(max(times, default=0))
            for piece in rows:
                for price, time in zip(piece["price"], piece["time"], strict=True):
                    found.append((int(time.timestamp() * 1000), float(price)))
            newest = sorted(found, key=lambda one: one[0], reverse=True)[:3]
            self.kept.update(([p for _, p in newest], [ms for ms, _ in newest]))
            if newest[0][0] != before:
                if before:
                    self.handle.deleteTimer(before + HOUR)
                self.handle.registerTimer(newest[0][0] + HOUR)
            mean = sum(p for _, p in newest) / len(newest)
            yield pd.DataFrame({"fruit": [key[0]], "mean": [mean], "prices": [len(newest)]})

        def handleExpiredTimer(
            self, key: Any, timerValues: Any, expiredTimerInfo: Any
        ) -> Iterator[pd.DataFrame]:
            self.kept.clear()
            return iter([])

    return (
        quotes.withWatermark("time", "1 minute")
        .groupBy("fruit")
        .transformWithStateInPandas(RecentPrices(), OUT, "Append", "EventTime")
    )


def right_appends_and_keeps_all(quotes: DataFrame) -> DataFrame:
    """Appends only the new prices, keeps all of them until the fruit is forgotten, takes the three newest.

    The list grows as long as the fruit is quoted; the task does not say how many prices may be kept. A list is
    one row of the state, so nothing shows.
    """

    class RecentPrices(_Recent):
        def handleInputRows(self, key: Any, rows: Iterator[Row], timerValues: Any) -> Iterator[Row]:
            self.recent.appendList([(row.price, int(row.time.timestamp() * 1000)) for row in rows])
            newest = self.newest([tuple(price) for price in self.recent.get()])
            self.set_timer(newest)
            yield Row(prices=len(newest), fruit=key[0], mean=self.mean(newest))

    return _means(quotes, RecentPrices())


def wrong_forgotten_when_passed(quotes: DataFrame) -> DataFrame:
    """Sets the timer a millisecond after the hour, so that the watermark has surely passed it

    "When the watermark reaches the end of that hour": a fruit goes on that should start anew.
    """

    class RecentPrices(_Recent):
        def set_timer(self, newest: list[Price]) -> None:
            super().set_timer([(0.0, newest[-1][1] + 1)])

    return _means(quotes, RecentPrices())


def wrong_timer_lost_when_overtaken(quotes: DataFrame) -> DataFrame:
    """Deletes all timers in any case, and registers one only if a newer price has come

    After a batch that brings only an older price there is no timer, and nothing is forgotten.
    """

    class RecentPrices(_Recent):
        def set_timer(self, newest: list[Price]) -> None:
            timers = list(self.handle.listTimers())
            for timer in timers:
                self.handle.deleteTimer(timer)
            if newest[-1][1] + HOUR not in timers:
                self.handle.registerTimer(newest[-1][1] + HOUR)

    return _means(quotes, RecentPrices())


def wrong_order_of_whole_seconds(quotes: DataFrame) -> DataFrame:
    """Keeps the times in whole seconds: of two prices in one second the one that came last is the newer."""

    class RecentPrices(_Recent):
        def newest(self, found: list[Price]) -> list[Price]:
            return sorted(found, key=lambda price: price[1] // 1000)[-3:]

    return _means(quotes, RecentPrices())


def wrong_last_three_that_came(quotes: DataFrame) -> DataFrame:
    """Sorts a batch, and appends it to what is kept: an overtaken price pushes a newer one out."""

    class RecentPrices(_Recent):
        def handleInputRows(self, key: Any, rows: Iterator[Row], timerValues: Any) -> Iterator[Row]:
            return super().handleInputRows(key, iter(sorted(rows, key=lambda r: r.time)), None)

        def newest(self, found: list[Price]) -> list[Price]:
            return found[-3:]

        def set_timer(self, newest: list[Price]) -> None:
            super().set_timer(sorted(newest, key=lambda price: price[1]))

    return _means(quotes, RecentPrices())


def wrong_equal_prices_once(quotes: DataFrame) -> DataFrame:
    """Takes the three newest different prices."""

    class RecentPrices(_Recent):
        def newest(self, found: list[Price]) -> list[Price]:
            newest_of = dict(sorted(found, key=lambda price: price[1]))
            return super().newest(list(newest_of.items()))

    return _means(quotes, RecentPrices())


def wrong_first_three_of_a_batch(quotes: DataFrame) -> DataFrame:
    """Looks only at the first three rows of a batch."""

    class RecentPrices(_Recent):
        def handleInputRows(self, key: Any, rows: Iterator[Row], timerValues: Any) -> Iterator[Row]:
            return super().handleInputRows(key, iter(list(rows)[:3]), timerValues)

    return _means(quotes, RecentPrices())


def wrong_the_whole_batch(quotes: DataFrame) -> DataFrame:
    """Fills a batch up to three with prices from before, and takes all of it where it has more."""

    class RecentPrices(_Recent):
        def handleInputRows(self, key: Any, rows: Iterator[Row], timerValues: Any) -> Iterator[Row]:
            batch = list(rows)
            self.batch = len(batch)
            return super().handleInputRows(key, iter(batch), timerValues)

        def newest(self, found: list[Price]) -> list[Price]:
            return sorted(found, key=lambda price: price[1])[-max(3, self.batch) :]

    return _means(quotes, RecentPrices())
