"""The broken one, and repairs that stop half-way."""

from collections.abc import Iterator
from typing import Any

from pyspark.sql import DataFrame, Row
from pyspark.sql.streaming import StatefulProcessor, StatefulProcessorHandle

HOUR = 60 * 60 * 1000
Price = tuple[float, int]


class _Recent(StatefulProcessor):  # type: ignore[misc]
    """The right one; each wrong answer puts one piece in another way."""

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
    """As it was

    The rows are those of the broken query. Begin with step 1: mangoes have a single price there.
    """

    class AsItWas(_OnSelf, _BatchKept, _TimersStay):
        pass

    return _means(quotes, AsItWas())


def still_on_self(quotes: DataFrame) -> DataFrame:
    """Prices of other fruits

    In step 1 mangoes have more than one price, and only one was sent. The others are apples': one
    Python process works on one group after another with the same processor, so a list on `self`, or one
    that stands outside the class, is shared by all groups of a batch. And it does not last until the next.
    """

    class OnSelf(_OnSelf):
        pass

    return _means(quotes, OnSelf())


def only_the_batch_is_kept(quotes: DataFrame) -> DataFrame:
    """Prices of the batch before last are gone

    Mangoes have three prices by step 5, one from each of three batches, and only two are in the mean.
    What is put into the list takes the place of all that was there. Which prices does the next batch
    need?
    """

    class BatchKept(_BatchKept):
        pass

    return _means(quotes, BatchKept())


def still_appended(quotes: DataFrame) -> DataFrame:
    """The same price counts twice

    In step 7 a price of apples is among the three twice. What was fetched from the list and is
    appended to it stands there once more. Another method of a list state replaces all of it.
    """

    class Appended(_Recent):
        def keep(self, newest: list[Price]) -> None:
            self.recent.appendList(newest)

    return _means(quotes, Appended())


def still_old_timers(quotes: DataFrame) -> DataFrame:
    """Forgotten too early

    A fruit that had prices in the last hour was forgotten, as the timer of an earlier batch went off.
    Registering a timer leaves the others where they are.
    """

    class TimersStay(_TimersStay):
        pass

    return _means(quotes, TimersStay())


def two_mended(quotes: DataFrame) -> DataFrame:
    """The list on self is gone, two faults are left

    Step 1 is right. Later fruits are forgotten that had prices in the last hour, and pears have three
    prices by step 6, of which two are in the mean. Look at how many timers a fruit has, and at what is
    put into the list.
    """

    class TwoLeft(_BatchKept, _TimersStay):
        pass

    return _means(quotes, TwoLeft())


def never_forgotten(quotes: DataFrame) -> DataFrame:
    """No fruit is ever forgotten

    A fruit without a price for more than an hour went on from its old prices. No timer took them away
    in time: none, or one that was deleted or does nothing.
    """

    class Never(_Recent):
        def set_timer(self, newest: list[Price], new: list[Price]) -> None:
            pass

    return _means(quotes, Never())


def hour_of_the_last_arrival(quotes: DataFrame) -> DataFrame:
    """Forgotten before the hour was over

    A fruit was forgotten when the watermark was less than an hour past its newest price. The hour runs
    from the newest price that is kept, also where the batch brings only an older one that was overtaken.
    Or it was not a whole hour.
    """

    class LastArrival(_Recent):
        def set_timer(self, newest: list[Price], new: list[Price]) -> None:
            for timer in list(self.handle.listTimers()):
                self.handle.deleteTimer(timer)
            self.handle.registerTimer(max(ms for _, ms in new) + HOUR)

    return _means(quotes, LastArrival())


def in_order_of_arrival(quotes: DataFrame) -> DataFrame:
    """The last three to arrive

    The means are those of the prices that arrived last. A price that was overtaken is older than it
    looks; the broken query sorted by time, and that was right.
    """

    class Arrival(_Recent):
        def newest(self, found: list[Price]) -> list[Price]:
            return found[-3:]

    return _means(quotes, Arrival())


def last_arrivals_for_the_right_hour(quotes: DataFrame) -> DataFrame:
    """The last three to arrive are the newest

    Fruits are forgotten when they should be, and the means are those of the prices that arrived last. A price that
    was overtaken is older than it looks; the broken query sorted by time, and that was right.
    """

    class Arrival(_Recent):
        def newest(self, found: list[Price]) -> list[Price]:
            return found[-3:]

        def set_timer(self, newest: list[Price], new: list[Price]) -> None:
            for timer in list(self.handle.listTimers()):
                self.handle.deleteTimer(timer)
            self.handle.registerTimer(max(ms for _, ms in newest) + HOUR)

    return _means(quotes, Arrival())
