"""Reminders that are sent twice, too early, for paid orders, or repeatedly."""

from collections.abc import Iterator
from datetime import datetime
from typing import Any

from pyspark.sql import DataFrame, Row
from pyspark.sql.streaming import StatefulProcessor, StatefulProcessorHandle

HALF_AN_HOUR = 30 * 60 * 1000


def _ms(row: Row) -> int:
    return int(row.time.timestamp() * 1000)


class _Reminder(StatefulProcessor):  # type: ignore[misc]
    """The right processor; each wrong answer replaces one part."""

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
    """Old timers not deleted

    An order that was changed got more than one reminder, the first at the end of its old half-hour. A group
    has as many timers as you register, each with its own time. A new timer does not replace the old one.
    Which call removes the old one?
    """

    class OldStay(_Reminder):
        def moved(self, before: int, due: int) -> None:
            self.due.update((due,))
            self.handle.registerTimer(due)

    return _told(orders, OldStay())


def paid_orders_too(orders: DataFrame) -> DataFrame:
    """Timer left after payment

    An order that was paid in time got a reminder. To clear the state does not touch the timers. They are
    stored separately and still fire. What must you delete when an order is paid?
    """

    class PaidToo(_Reminder):
        def paid(self, before: int) -> None:
            self.due.clear()

    return _told(orders, PaidToo())


def first_timer_counts(orders: DataFrame) -> DataFrame:
    """Half-hour of the first batch only

    An order that was changed later got its reminder half an hour after its first batch. Each later change
    starts a new half-hour. Where do you move the timer?
    """

    class FirstCounts(_Reminder):
        def new_due(self, before: int, found: list[Row]) -> int:
            return before or super().new_due(before, found)

    return _told(orders, FirstCounts())


def last_arrival_counts(orders: DataFrame) -> DataFrame:
    """Older change moves the reminder back

    A change that arrived out of order, in a later batch, moved the reminder to an earlier time. The
    half-hour starts at the newest event of all batches. Which two times do you compare before you register
    a timer?
    """

    class LastArrival(_Reminder):
        def new_due(self, before: int, found: list[Row]) -> int:
            return max(map(_ms, found)) + HALF_AN_HOUR

    return _told(orders, LastArrival())


def again_and_again(orders: DataFrame) -> DataFrame:
    """Timer registered again when it fires

    After the first reminder of an order there was another one, half an hour later. A timer fires once and
    is removed. A timer that you register while it fires will fire, too. What is left to wait for after a
    reminder?
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
    """State not cleared after the reminder

    The reminders are right. At the end the state holds {steps.9.state} rows; {asked.steps.9.state} are
    expected. Spark removes a timer that has fired, and nothing else. Where do you clear the state of an
    order after its reminder?
    """

    class Stays(_Reminder):
        def handleExpiredTimer(
            self, key: Any, timerValues: Any, expiredTimerInfo: Any
        ) -> Iterator[Row]:
            yield self.reminder(key, expiredTimerInfo.getExpiryTimeInMs())

    return _told(orders, Stays())


def time_of_the_watermark(orders: DataFrame) -> DataFrame:
    """Watermark instead of the timer's time

    The values of `due` are the watermark when the timer fired, so the time when Spark noticed. The task
    wants the time of the timer. What does `expiredTimerInfo` return?
    """

    class Noticed(_Reminder):
        def handleExpiredTimer(
            self, key: Any, timerValues: Any, expiredTimerInfo: Any
        ) -> Iterator[Row]:
            self.due.clear()
            yield self.reminder(key, timerValues.getCurrentWatermarkInMs())

    return _told(orders, Noticed())


def deletes_what_it_registered(orders: DataFrame) -> DataFrame:
    """New timer deleted with the old one

    O1 was changed, then an older change arrived, and there was no reminder: no timer was left. If a call
    does not change the time, the timer that it registers and the "old" one that it deletes are the same. In
    which order do you delete and register?
    """

    class WrongOrder(_Reminder):
        def moved(self, before: int, due: int) -> None:
            self.due.update((due,))
            self.handle.registerTimer(due)
            if before:
                self.handle.deleteTimer(before)

    return _told(orders, WrongOrder())


def row_by_row(orders: DataFrame) -> DataFrame:
    """Rows of a batch handled one by one

    An order whose payment and change were in one batch got a reminder. The rows of a group arrive in no
    promised order. What do you know only after you have read all of them?
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
    """Payment after `due` ignored

    An order was paid before its reminder was emitted, and got a reminder. The time of its payment is after
    its `due`. A payment counts if it reaches the processor before the reminder is emitted. Do you compare
    the payment's own time with `due`?
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
    """Paid order kept until its half-hour ends

    The reminders are right. In the last step the last order is paid, and the state still holds
    {steps.9.state} rows. After a payment, nothing of the order is needed: no flag, no timer. What do you
    clear, and when?
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
    """Integer written to a TIMESTAMP

    The reminders are for the right orders, in the right steps, and each `due` is in January 1970. Spark
    reads an integer in a TIMESTAMP column as microseconds. What does `datetime.fromtimestamp(ms / 1000)`
    return?
    """

    class Number(_Reminder):
        def reminder(self, key: Any, ms: int) -> Row:
            return Row(order_id=key[0], due=ms)

    return _told(orders, Number())


def timer_in_seconds(orders: DataFrame) -> DataFrame:
    """Timer in seconds instead of milliseconds

    Orders got a reminder in the step in which they arrived; o2 got one before it was paid. Their timers had
    already expired. A timer is set in milliseconds since 1970, and the watermark is later than any much
    smaller number. How many digits has yours?
    """

    class Seconds(_Reminder):
        def new_due(self, before: int, found: list[Row]) -> int:
            return max(before, (max(map(_ms, found)) + HALF_AN_HOUR) // 1000)

        def reminder(self, key: Any, ms: int) -> Row:
            return Row(order_id=key[0], due=datetime.fromtimestamp(ms))

    return _told(orders, Seconds())


def passed_not_reached(orders: DataFrame) -> DataFrame:
    """Timer later than `due`

    O1 is due at 12:40:50. After step 6 the watermark was {steps.6.watermark}, and there was no reminder before its
    payment in step 7. A timer fires when the watermark *reaches* it; a timeout of lesson 09 must be passed. Which
    time do you register?
    """

    class Later(_Reminder):
        def moved(self, before: int, due: int) -> None:
            if before:
                self.handle.deleteTimer(before + 1)
            self.due.update((due,))
            self.handle.registerTimer(due + 1)

        def paid(self, before: int) -> None:
            if before:
                self.handle.deleteTimer(before + 1)
                self.due.clear()

        def reminder(self, key: Any, ms: int) -> Row:
            return super().reminder(key, ms - 1)

    return _told(orders, Later())
