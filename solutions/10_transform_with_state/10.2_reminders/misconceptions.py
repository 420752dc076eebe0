"""Reminders that come twice, too early, for paid orders, or again and again."""

from collections.abc import Iterator
from datetime import datetime
from typing import Any

from pyspark.sql import DataFrame, Row
from pyspark.sql.streaming import StatefulProcessor, StatefulProcessorHandle

HALF_AN_HOUR = 30 * 60 * 1000


def _ms(row: Row) -> int:
    return int(row.time.timestamp() * 1000)


class _Reminder(StatefulProcessor):  # type: ignore[misc]
    """The right one; each wrong answer puts one piece in another way."""

    def init(self, handle: StatefulProcessorHandle) -> None:
        self.handle = handle
        self.due = handle.getValueState("due", "ms LONG")

    def handleInputRows(self, key: Any, rows: Iterator[Row], timerValues: Any) -> Iterator[Row]:
        found = list(rows)
        (before,) = self.due.get() or (0,)
        if any(row.what == "paid" for row in found):
            self.paid(before)
        else:
            self.moved(before, self.new_due(before, found))
        return iter([])

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


def old_timers_stay(orders: DataFrame) -> DataFrame:
    """One reminder for every timer

    An order that was changed was reminded of more than once, the first time for its old half-hour.
    A group has as many timers as were registered, each at a time of its own. A new one does not take
    the place of the old one; that has to be deleted.
    """

    class OldStay(_Reminder):
        def moved(self, before: int, due: int) -> None:
            self.due.update((due,))
            self.handle.registerTimer(due)

    return _told(orders, OldStay())


def paid_orders_too(orders: DataFrame) -> DataFrame:
    """A reminder for a paid order

    An order that was paid in time was reminded of. Clearing the state does not touch the timers:
    they are kept apart, and fire all the same.
    """

    class PaidToo(_Reminder):
        def paid(self, before: int) -> None:
            self.due.clear()

    return _told(orders, PaidToo())


def first_timer_counts(orders: DataFrame) -> DataFrame:
    """The half-hour of the first batch

    An order that was changed later was reminded of half an hour after its first batch. Each later
    change begins a new half-hour: the timer has to go to a new time.
    """

    class FirstCounts(_Reminder):
        def new_due(self, before: int, found: list[Row]) -> int:
            return before or super().new_due(before, found)

    return _told(orders, FirstCounts())


def last_arrival_counts(orders: DataFrame) -> DataFrame:
    """An older change moved the reminder back

    A change that was overtaken on its way and came in a later batch has moved the reminder to an
    earlier time. The half-hour begins with the newest of all that was seen. Compare with the time that
    you keep.
    """

    class LastArrival(_Reminder):
        def new_due(self, before: int, found: list[Row]) -> int:
            return max(map(_ms, found)) + HALF_AN_HOUR

    return _told(orders, LastArrival())


def again_and_again(orders: DataFrame) -> DataFrame:
    """The reminder comes again every half-hour

    After the first reminder of an order came another, half an hour later. A timer fires once and is
    gone; one that is registered while it fires will fire, too. Nothing ends this but a payment.
    """

    class Again(_Reminder):
        def handleExpiredTimer(
            self, key: Any, timerValues: Any, expiredTimerInfo: Any
        ) -> Iterator[Row]:
            ms = expiredTimerInfo.getExpiryTimeInMs()
            self.due.update((ms + HALF_AN_HOUR,))
            self.handle.registerTimer(ms + HALF_AN_HOUR)
            yield self.reminder(key, ms)

    return _told(orders, Again())


def state_stays(orders: DataFrame) -> DataFrame:
    """Orders that are done with are still in the state

    The reminders are right, and when all is over the state holds {steps.9.state} rows, where
    {asked.steps.9.state} are enough. A timer takes itself away, and nothing else. Who clears the
    state of an order after its reminder?
    """

    class Stays(_Reminder):
        def handleExpiredTimer(
            self, key: Any, timerValues: Any, expiredTimerInfo: Any
        ) -> Iterator[Row]:
            yield self.reminder(key, expiredTimerInfo.getExpiryTimeInMs())

    return _told(orders, Stays())


def time_of_the_watermark(orders: DataFrame) -> DataFrame:
    """The watermark in place of the timer's time

    What stands in `due` is where the watermark was when the timer fired. That is when Spark noticed.
    For when the timer was set, expiredTimerInfo says.
    """

    class Noticed(_Reminder):
        def handleExpiredTimer(
            self, key: Any, timerValues: Any, expiredTimerInfo: Any
        ) -> Iterator[Row]:
            self.due.clear()
            yield self.reminder(key, timerValues.getCurrentWatermarkInMs())

    return _told(orders, Noticed())


def deletes_what_it_registered(orders: DataFrame) -> DataFrame:
    """An order without its reminder

    o1 was changed, then came an older change, and there was no reminder: no timer was left. Where a call
    leaves the time as it is, the timer that it registers and the "old" one that it deletes are the same.
    Delete first, and register afterwards in any case, also where nothing newer has come.
    """

    class WrongOrder(_Reminder):
        def moved(self, before: int, due: int) -> None:
            self.due.update((due,))
            self.handle.registerTimer(due)
            if before:
                self.handle.deleteTimer(before)

    return _told(orders, WrongOrder())


def row_by_row(orders: DataFrame) -> DataFrame:
    """Paid, and then changed again

    An order whose payment and change came in one batch was reminded of. The rows of a group come in
    no promised order: look at all of them before you decide.
    """

    class RowByRow(_Reminder):
        def handleInputRows(self, key: Any, rows: Iterator[Row], timerValues: Any) -> Iterator[Row]:
            for row in rows:
                (before,) = self.due.get() or (0,)
                if row.what == "paid":
                    self.paid(before)
                else:
                    self.moved(before, self.new_due(before, [row]))
            return iter([])

    return _told(orders, RowByRow())


def late_payment_ignored(orders: DataFrame) -> DataFrame:
    """A payment later than `due` does not count

    An order was paid before its reminder was out, and was reminded of: the time of its payment is later than
    its `due`. A payment counts when it reaches the processor before the reminder is out, whatever its own time.
    """

    class OwnTime(_Reminder):
        def handleInputRows(self, key: Any, rows: Iterator[Row], timerValues: Any) -> Iterator[Row]:
            found = list(rows)
            (before,) = self.due.get() or (0,)
            changes = [row for row in found if row.what != "paid"]
            due = self.new_due(before, changes) if changes else before
            if any(row.what == "paid" and _ms(row) <= due for row in found):
                self.paid(before)
            elif changes:
                self.moved(before, due)
            return iter([])

    return _told(orders, OwnTime())


def kept_until_due(orders: DataFrame) -> DataFrame:
    """A paid order is kept until its half-hour ends

    The reminders are right. After the last step, in which the last order is paid, the state still holds
    {steps.9.state} rows. Nothing of an order is needed after its payment, neither that it was paid nor its timer.
    """

    class Kept(_Reminder):
        def init(self, handle: StatefulProcessorHandle) -> None:
            super().init(handle)
            self.settled = handle.getValueState("settled", "yes BOOLEAN")

        def handleInputRows(self, key: Any, rows: Iterator[Row], timerValues: Any) -> Iterator[Row]:
            found = list(rows)
            (before,) = self.due.get() or (0,)
            changes = [row for row in found if row.what != "paid"]
            if changes:
                self.moved(before, self.new_due(before, changes))
            if len(changes) < len(found) and (before or changes):
                self.settled.update((True,))
            return iter([])

        def handleExpiredTimer(
            self, key: Any, timerValues: Any, expiredTimerInfo: Any
        ) -> Iterator[Row]:
            if not self.settled.exists():
                yield self.reminder(key, expiredTimerInfo.getExpiryTimeInMs())
            self.due.clear()
            self.settled.clear()

    return _told(orders, Kept())


def due_in_1970(orders: DataFrame) -> DataFrame:
    """`due` is in January 1970

    The reminders came for the right orders, in the right steps, and each `due` is in January 1970. Spark reads a
    whole number in a TIMESTAMP column as microseconds. `datetime.fromtimestamp(ms / 1000)` makes a time of
    milliseconds.
    """

    class Number(_Reminder):
        def reminder(self, key: Any, ms: int) -> Row:
            return Row(order_id=key[0], due=ms)

    return _told(orders, Number())


def timer_in_seconds(orders: DataFrame) -> DataFrame:
    """Reminded at once

    Orders were reminded of in the step in which they came, o2 before it was paid: their timers were due by
    then. A timer is set in milliseconds since 1970, and the watermark is past whatever is far smaller.
    """

    class Seconds(_Reminder):
        def new_due(self, before: int, found: list[Row]) -> int:
            return max(before, (max(map(_ms, found)) + HALF_AN_HOUR) // 1000)

        def reminder(self, key: Any, ms: int) -> Row:
            return Row(order_id=key[0], due=datetime.fromtimestamp(ms))

    return _told(orders, Seconds())
