"""The broken processor, and repairs that are not complete."""

from collections.abc import Iterator
from typing import Any

from pyspark.sql import DataFrame, Row
from pyspark.sql.streaming import StatefulProcessor, StatefulProcessorHandle

HOUR = 60 * 60 * 1000
Price = tuple[float, int]


class _Recent(StatefulProcessor):  # type: ignore[misc]
    """The right processor; each wrong answer replaces one part."""

    def init(self, handle: StatefulProcessorHandle) -> None:
        self.handle = handle
        self.recent = handle.getListState("recent", "price DOUBLE, ms LONG")
        self.batch: list[Price] = []

    def handleInputRows(self, key: Any, rows: Iterator[Row], timerValues: Any) -> Iterator[Row]:
        new = self.new([(row.price, int(row.time.timestamp() * 1000)) for row in rows])
        newest = self.newest([*self.recent.get(), *new])
        self.keep(newest)
        self.set_timer(newest, new)
        mean = sum(price for price, _ in newest) / len(newest)
        yield Row(fruit=key[0], mean=mean, prices=len(newest))

    def new(self, found: list[Price]) -> list[Price]:
        return found

    def newest(self, found: list[Price]) -> list[Price]:
        return sorted(found, key=lambda price: price[1])[-3:]

    def keep(self, newest: list[Price]) -> None:
        self.recent.put(newest)

    def set_timer(self, newest: list[Price], new: list[Price]) -> None:
        for timer in list(self.handle.listTimers()):
            self.handle.deleteTimer(timer)
        self.handle.registerTimer(newest[-1][1] + HOUR)

    def handleExpiredTimer(
        self, key: Any, timerValues: Any, expiredTimerInfo: Any
    ) -> Iterator[Row]:
        self.recent.clear()
        return iter([])


class _OnSelf(_Recent):
    def new(self, found: list[Price]) -> list[Price]:
        self.batch += found
        return self.batch


class _BatchKept(_Recent):
    def set_timer(self, newest: list[Price], new: list[Price]) -> None:
        super().set_timer(newest, new)
        self.recent.put(new)


class _TimersStay(_Recent):
    def set_timer(self, newest: list[Price], new: list[Price]) -> None:
        self.handle.registerTimer(newest[-1][1] + HOUR)


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


def not_repaired(quotes: DataFrame) -> DataFrame:
    """The broken query, unchanged

    The rows are those of the broken query. Start with step 1: mangoes have a single price there. Which
    prices are in their mean?
    """

    class AsItWas(_OnSelf, _BatchKept, _TimersStay):
        pass

    return _means(quotes, AsItWas())


def still_on_self(quotes: DataFrame) -> DataFrame:
    """Prices of other fruits in the mean

    In step 1 mangoes have more than one price, and only one was sent. The others are prices of apples. One
    Python worker handles one group after another with the same processor. So a list on `self`, or outside
    the class, is shared by all groups of a batch, and lost after it. Where do you collect the prices of one
    fruit?
    """

    class OnSelf(_OnSelf):
        pass

    return _means(quotes, OnSelf())


def only_the_batch_is_kept(quotes: DataFrame) -> DataFrame:
    """Older prices replaced by those of the batch

    Mangoes have three prices by step 5, one from each of three batches, and only two are in the mean. `put`
    replaces the whole list. Which prices does the next batch need?
    """

    class BatchKept(_BatchKept):
        pass

    return _means(quotes, BatchKept())


def still_appended(quotes: DataFrame) -> DataFrame:
    """Kept prices appended again

    In step 7 one price of apples is counted twice among the three. Prices that you read from the list and
    append to it are there twice. Which method of a list state replaces the whole list?
    """

    class Appended(_Recent):
        def keep(self, newest: list[Price]) -> None:
            self.recent.appendList(newest)

    return _means(quotes, Appended())


def still_old_timers(quotes: DataFrame) -> DataFrame:
    """Old timers not deleted

    A fruit that had prices in the last hour was evicted, because the timer of an earlier batch fired. A new
    timer leaves the other timers in place. Which timers of the fruit do you delete?
    """

    class TimersStay(_TimersStay):
        pass

    return _means(quotes, TimersStay())


def two_mended(quotes: DataFrame) -> DataFrame:
    """Two faults left: list and timers

    Step 1 is right. Later, fruits are evicted that had prices in the last hour. Pears have three prices by
    step 6, and two of them are in the mean. How many timers has a fruit, and what do you write to the list?
    """

    class TwoLeft(_BatchKept, _TimersStay):
        pass

    return _means(quotes, TwoLeft())


def never_forgotten(quotes: DataFrame) -> DataFrame:
    """No fruit evicted

    A fruit without a price for more than an hour continued from its old prices. No timer evicted them in
    time. Is there a timer, is it deleted too early, and what does `handleExpiredTimer` do?
    """

    class Never(_Recent):
        def set_timer(self, newest: list[Price], new: list[Price]) -> None:
            pass

    return _means(quotes, Never())


def hour_of_the_last_arrival(quotes: DataFrame) -> DataFrame:
    """Timer too early

    A fruit was evicted when the watermark was less than an hour past its newest price. The hour starts at
    the newest price that is kept, even if the batch has only an older price. Or the hour was not a whole
    hour. From which price do you count, and how many milliseconds do you add?
    """

    class LastArrival(_Recent):
        def set_timer(self, newest: list[Price], new: list[Price]) -> None:
            for timer in list(self.handle.listTimers()):
                self.handle.deleteTimer(timer)
            self.handle.registerTimer(max(ms for _, ms in new) + HOUR)

    return _means(quotes, LastArrival())


def in_order_of_arrival(quotes: DataFrame) -> DataFrame:
    """Last three by arrival

    The means are those of the prices that arrived last. A price that arrives out of order is older than it
    looks. The broken query sorted by time, and that was right. Where do you sort?
    """

    class Arrival(_Recent):
        def newest(self, found: list[Price]) -> list[Price]:
            return found[-3:]

    return _means(quotes, Arrival())


def last_arrivals_for_the_right_hour(quotes: DataFrame) -> DataFrame:
    """Last three by arrival, with the right timer

    Fruits are evicted at the right time, and the means are those of the prices that arrived last. A price
    that arrives out of order is older than it looks. The broken query sorted by time, and that was right.
    Where do you sort?
    """

    class Arrival(_Recent):
        def newest(self, found: list[Price]) -> list[Price]:
            return found[-3:]

        def set_timer(self, newest: list[Price], new: list[Price]) -> None:
            for timer in list(self.handle.listTimers()):
                self.handle.deleteTimer(timer)
            self.handle.registerTimer(max(ms for _, ms in newest) + HOUR)

    return _means(quotes, Arrival())


def an_hour_and_a_moment(quotes: DataFrame) -> DataFrame:
    """Timer later than one hour

    Mango's newest price in step 5 is of 13:15:00. After step 6 the watermark was {steps.6.watermark}, and in step 7
    mango continued from its old prices. A timer fires when the watermark *reaches* it; a timeout of lesson 09 must
    be passed. How many milliseconds do you add?
    """

    class Later(_Recent):
        def set_timer(self, newest: list[Price], new: list[Price]) -> None:
            for timer in list(self.handle.listTimers()):
                self.handle.deleteTimer(timer)
            self.handle.registerTimer(newest[-1][1] + HOUR + 1)

    return _means(quotes, Later())


def equal_prices_once(quotes: DataFrame) -> DataFrame:
    """Equal prices counted once

    In step 8 two of the three newest prices of figs are 8.25, and the mean has only one of them. Two quotes with the
    same price are two prices. Do you keep prices in a set, or as keys of a dict?
    """

    class Once(_Recent):
        def newest(self, found: list[Price]) -> list[Price]:
            by_price = dict(sorted(found, key=lambda price: price[1]))
            return super().newest(list(by_price.items()))

    return _means(quotes, Once())


def the_whole_batch(quotes: DataFrame) -> DataFrame:
    """All prices of the batch in the mean

    In step 8 there are four prices of figs in one batch, and all of them are in the mean. The task wants the three
    newest, even if the batch has more. Where do you cut the list?
    """

    class Whole(_Recent):
        def new(self, found: list[Price]) -> list[Price]:
            self.count = max(3, len(found))
            return found

        def newest(self, found: list[Price]) -> list[Price]:
            return sorted(found, key=lambda price: price[1])[-self.count :]

    return _means(quotes, Whole())
