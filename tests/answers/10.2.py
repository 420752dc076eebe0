"""Answers to the reminder that comes once."""

from collections.abc import Iterator
from datetime import datetime
from typing import Any

from pyspark.sql import DataFrame, Row
from pyspark.sql import functions as F
from pyspark.sql.streaming import StatefulProcessor, StatefulProcessorHandle

HALF_AN_HOUR = 30 * 60 * 1000


def _ms(row: Row) -> int:
    return int(row.time.timestamp() * 1000)


class _Reminder(StatefulProcessor):
    def init(self, handle: StatefulProcessorHandle) -> None:
        self.handle = handle
        self.due = handle.getValueState("due", "ms LONG")

    def handleInputRows(self, key: Any, rows: Iterator[Row], timerValues: Any) -> Iterator[Row]:
        found = list(rows)
        (before,) = self.due.get() or (0,)
        if self.is_paid(before, found):
            self.paid(before)
        else:
            self.moved(before, self.new_due(before, found))
        return iter([])

    def is_paid(self, before: int, found: list[Row]) -> bool:
        return any(row.what == "paid" for row in found)

    def paid(self, before: int) -> None:
        if before:
            self.handle.deleteTimer(before)
            self.due.clear()

    def new_due(self, before: int, found: list[Row]) -> int:
        return max(before, max(map(_ms, found)) + HALF_AN_HOUR)

    def moved(self, before: int, due: int) -> None:
        if before:
            self.handle.deleteTimer(before)
        self.due.update((due,))
        self.handle.registerTimer(due)

    def handleExpiredTimer(
        self, key: Any, timerValues: Any, expiredTimerInfo: Any
    ) -> Iterator[Row]:
        self.due.clear()
        yield self.reminder(key, expiredTimerInfo.getExpiryTimeInMs())

    def reminder(self, key: Any, ms: int) -> Row:
        return Row(order_id=key[0], due=datetime.fromtimestamp(ms / 1000))


def _told(orders: DataFrame, processor: StatefulProcessor) -> DataFrame:
    return (
        orders.withWatermark("time", "1 minute")
        .groupBy("order_id")
        .transformWithState(
            processor,
            outputStructType="order_id STRING, due TIMESTAMP",
            outputMode="Append",
            timeMode="EventTime",
        )
    )


def right_all_changes_in_a_list(orders: DataFrame) -> DataFrame:
    """Keeps the times of all changes in a list; due is the newest of the list when the timer fires."""

    class Reminder(StatefulProcessor):
        def init(self, handle: StatefulProcessorHandle) -> None:
            self.handle = handle
            self.times = handle.getListState("times", "ms LONG")

        def handleInputRows(self, key: Any, rows: Iterator[Row], timerValues: Any) -> Iterator[Row]:
            found = list(rows)
            for timer in list(self.handle.listTimers()):
                self.handle.deleteTimer(timer)
            if "paid" in [row.what for row in found]:
                self.times.clear()
                return iter([])
            self.times.appendList([(_ms(row),) for row in found])
            self.handle.registerTimer(max(ms for (ms,) in self.times.get()) + HALF_AN_HOUR)
            return iter([])

        def handleExpiredTimer(
            self, key: Any, timerValues: Any, expiredTimerInfo: Any
        ) -> Iterator[Row]:
            newest = max(ms for (ms,) in self.times.get())
            self.times.clear()
            return iter(
                [Row(due=datetime.fromtimestamp((newest + HALF_AN_HOUR) / 1000), order_id=key[0])]
            )

    return (
        orders.withWatermark("time", "60 seconds")
        .groupBy(F.col("order_id"))
        .transformWithState(Reminder(), "due TIMESTAMP, order_id STRING", "append", "eventtime")
    )


def right_due_by_an_expression(orders: DataFrame) -> DataFrame:
    """The processor gives milliseconds; due is made of them afterwards, in SQL."""

    class Reminder(_Reminder):
        def reminder(self, key: Any, ms: int) -> Row:
            return Row(order_id=key[0], ms=ms)

    given = (
        orders.withWatermark("time", "1 minute")
        .groupBy("order_id")
        .transformWithState(Reminder(), "order_id STRING, ms LONG", "Append", "EventTime")
    )
    given.createOrReplaceTempView("given")
    return given.sparkSession.sql("SELECT timestamp_millis(ms) AS due, order_id FROM given")


def right_what_was_seen_in_a_map(orders: DataFrame) -> DataFrame:
    """A map from what to its newest time, cleared as a whole; old timers asked for by listTimers."""

    class Reminder(StatefulProcessor):
        def init(self, handle: StatefulProcessorHandle) -> None:
            self.handle = handle
            self.seen = handle.getMapState("seen", "what STRING", "ms LONG")

        def handleInputRows(self, key: Any, rows: Iterator[Row], timerValues: Any) -> Iterator[Row]:
            paid = False
            for row in rows:
                paid = paid or row.what == "paid"
                (before,) = self.seen.getValue((row.what,)) or (0,)
                self.seen.updateValue((row.what,), (max(before, _ms(row)),))
            for timer in list(self.handle.listTimers()):
                self.handle.deleteTimer(timer)
            if paid:
                self.seen.clear()
            else:
                newest = max(ms for _, (ms,) in self.seen.iterator())
                self.handle.registerTimer(newest + HALF_AN_HOUR)
            return iter([])

        def handleExpiredTimer(
            self, key: Any, timerValues: Any, expiredTimerInfo: Any
        ) -> Iterator[Row]:
            self.seen.clear()
            ms = expiredTimerInfo.getExpiryTimeInMs()
            yield Row(order_id=key[0], due=datetime.fromtimestamp(ms / 1000))

    return _told(orders, Reminder())


def right_due_without_a_zone(orders: DataFrame) -> DataFrame:
    """due is declared as TIMESTAMP_NTZ, as the task only says "a timestamp"."""
    return (
        orders.withWatermark("time", "1 minute")
        .groupBy("order_id")
        .transformWithState(
            _Reminder(), "order_id STRING, due TIMESTAMP_NTZ", "Append", "EventTime"
        )
    )


def wrong_payments_by_their_own_time(orders: DataFrame) -> DataFrame:
    """Keeps the newest change, and takes a payment for one in time if its own time is not after the half-hour."""

    class Reminder(StatefulProcessor):
        def init(self, handle: StatefulProcessorHandle) -> None:
            self.handle = handle
            self.newest = handle.getValueState("newest", "ms LONG")

        def handleInputRows(self, key: Any, rows: Iterator[Row], timerValues: Any) -> Iterator[Row]:
            rows = list(rows)
            (old,) = self.newest.get() or (0,)
            news = [_ms(row) for row in rows if row.what != "paid"]
            paid = [_ms(row) for row in rows if row.what == "paid"]
            if not old and not news:
                return iter([])
            new = max([old, *news])
            for timer in list(self.handle.listTimers()):
                self.handle.deleteTimer(timer)
            if paid and min(paid) <= new + HALF_AN_HOUR:
                self.newest.clear()
                return iter([])
            self.newest.update((new,))
            self.handle.registerTimer(new + HALF_AN_HOUR)
            return iter([])

        def handleExpiredTimer(
            self, key: Any, timerValues: Any, expiredTimerInfo: Any
        ) -> Iterator[Row]:
            self.newest.clear()
            ms = expiredTimerInfo.getExpiryTimeInMs()
            yield Row(order_id=key[0], due=datetime.fromtimestamp(ms / 1000))

    return _told(orders, Reminder())


def wrong_paid_stands_in_the_value(orders: DataFrame) -> DataFrame:
    """One value with `due` and whether it was paid; the timer stays, clears the value, and tells of unpaid orders."""

    class Reminder(StatefulProcessor):
        def init(self, handle: StatefulProcessorHandle) -> None:
            self.handle = handle
            self.order = handle.getValueState("order", "due LONG, paid BOOLEAN")

        def handleInputRows(self, key: Any, rows: Iterator[Row], timerValues: Any) -> Iterator[Row]:
            found = list(rows)
            before, paid = self.order.get() or (0, False)
            changes = [_ms(row) for row in found if row.what != "paid"]
            if not before and not changes:
                return iter([])
            due = max([before, *(ms + HALF_AN_HOUR for ms in changes)])
            if before:
                self.handle.deleteTimer(before)
            self.handle.registerTimer(due)
            self.order.update((due, paid or any(row.what == "paid" for row in found)))
            return iter([])

        def handleExpiredTimer(
            self, key: Any, timerValues: Any, expiredTimerInfo: Any
        ) -> Iterator[Row]:
            due, paid = self.order.get()
            self.order.clear()
            if not paid:
                yield Row(order_id=key[0], due=datetime.fromtimestamp(due / 1000))

    return _told(orders, Reminder())


def wrong_newest_row_decides(orders: DataFrame) -> DataFrame:
    """Sorts the batch by time, and looks at the last row for `paid`."""

    class Reminder(_Reminder):
        def is_paid(self, before: int, found: list[Row]) -> bool:
            return max(found, key=_ms).what == "paid"

    return _told(orders, Reminder())


def wrong_last_row_decides(orders: DataFrame) -> DataFrame:
    """Looks at the last row of the batch for `paid`."""

    class Reminder(_Reminder):
        def is_paid(self, before: int, found: list[Row]) -> bool:
            return found[-1].what == "paid"

    return _told(orders, Reminder())


def wrong_passed_and_not_reached(orders: DataFrame) -> DataFrame:
    """Sets the timer a millisecond after due, as "reached is not passed" in lesson 09

    A payment that comes after the batch in which the watermark reaches due still counts.
    """

    class Reminder(_Reminder):
        def new_due(self, before: int, found: list[Row]) -> int:
            return max(before, max(map(_ms, found)) + HALF_AN_HOUR + 1)

        def reminder(self, key: Any, ms: int) -> Row:
            return super().reminder(key, ms - 1)

    return _told(orders, Reminder())


def wrong_changed_needs_its_order(orders: DataFrame) -> DataFrame:
    """A `changed` of an order that is not known is passed over

    An order's `ordered` is too late and dropped, its `changed` is seen: there is no reminder for it.
    """

    class Reminder(_Reminder):
        def handleInputRows(self, key: Any, rows: Iterator[Row], timerValues: Any) -> Iterator[Row]:
            found = list(rows)
            if self.due.exists() or any(row.what != "changed" for row in found):
                super().handleInputRows(key, iter(found), timerValues)
            return iter([])

    return _told(orders, Reminder())


def wrong_changed_goes_before_ordered(orders: DataFrame) -> DataFrame:
    """Of a batch with a `changed` takes the newest of those, as an order is changed after it was made

    Where `ordered` is the newer one of the two, the half-hour begins too early.
    """

    class Reminder(_Reminder):
        def new_due(self, before: int, found: list[Row]) -> int:
            changed = [row for row in found if row.what == "changed"]
            return super().new_due(before, changed or found)

    return _told(orders, Reminder())


def wrong_ordered_only_begins(orders: DataFrame) -> DataFrame:
    """An `ordered` of an order that is known already is passed over: it can only be older."""

    class Reminder(_Reminder):
        def new_due(self, before: int, found: list[Row]) -> int:
            new = [row for row in found if row.what == "changed" or not before]
            return super().new_due(before, new) if new else before

    return _told(orders, Reminder())
