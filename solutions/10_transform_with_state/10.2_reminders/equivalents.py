"""Other right reminders."""

from collections.abc import Iterator
from datetime import datetime
from typing import Any

import pandas as pd
from pyspark.sql import DataFrame, Row
from pyspark.sql import functions as F
from pyspark.sql.streaming import StatefulProcessor, StatefulProcessorHandle

HALF_AN_HOUR = 30 * 60 * 1000


def only_the_last_timer_speaks(orders: DataFrame) -> DataFrame:
    """Deletes no timer: one that fires looks whether it is still the one that is meant."""

    class Reminder(StatefulProcessor):  # type: ignore[misc]
        def init(self, handle: StatefulProcessorHandle) -> None:
            self.handle = handle
            self.due = handle.getValueState("due", "ms LONG")

        def handleInputRows(self, key: Any, rows: Iterator[Row], timerValues: Any) -> Iterator[Row]:
            found = list(rows)
            if any(row.what == "paid" for row in found):
                self.due.clear()
                return iter([])
            newest = max(row.ms for row in found) + HALF_AN_HOUR
            before = self.due.get()
            if before is None or newest > before[0]:
                self.due.update((newest,))
                self.handle.registerTimer(newest)
            return iter([])

        def handleExpiredTimer(
            self, key: Any, timerValues: Any, expiredTimerInfo: Any
        ) -> Iterator[Row]:
            ms = expiredTimerInfo.getExpiryTimeInMs()
            if self.due.get() == (ms,):
                self.due.clear()
                yield Row(order_id=key[0], due=datetime.fromtimestamp(ms / 1000))

    return (
        orders.withWatermark("time", "1 minute")
        .withColumn("ms", F.unix_millis("time"))
        .groupBy("order_id")
        .transformWithState(
            Reminder(), "order_id STRING, due TIMESTAMP", "Append", timeMode="EventTime"
        )
    )


def newest_and_timer(orders: DataFrame) -> DataFrame:
    """Two variables, as the parcel watch has them: the newest time, and the timer that stands."""

    class Reminder(StatefulProcessor):  # type: ignore[misc]
        def init(self, handle: StatefulProcessorHandle) -> None:
            self.handle = handle
            self.newest = handle.getValueState("newest", "ms LONG")
            self.timer = handle.getValueState("timer", "ms LONG")

        def handleInputRows(self, key: Any, rows: Iterator[Row], timerValues: Any) -> Iterator[Row]:
            found = list(rows)
            (old,) = self.timer.get() or (0,)
            if old:
                self.handle.deleteTimer(old)
            if any(row.what == "paid" for row in found):
                self.newest.clear()
                self.timer.clear()
                return iter([])
            (before,) = self.newest.get() or (0,)
            newest = max(before, *(int(row.time.timestamp() * 1000) for row in found))
            self.newest.update((newest,))
            self.handle.registerTimer(newest + HALF_AN_HOUR)
            self.timer.update((newest + HALF_AN_HOUR,))
            return iter([])

        def handleExpiredTimer(
            self, key: Any, timerValues: Any, expiredTimerInfo: Any
        ) -> Iterator[Row]:
            (newest,) = self.newest.get()
            self.newest.clear()
            self.timer.clear()
            yield Row(order_id=key[0], due=datetime.fromtimestamp((newest + HALF_AN_HOUR) / 1000))

    return (
        orders.withWatermark("time", "1 minute")
        .groupBy("order_id")
        .transformWithState(
            Reminder(), "order_id STRING, due TIMESTAMP", "Append", timeMode="EventTime"
        )
    )


def the_timers_are_the_state(orders: DataFrame) -> DataFrame:
    """With pandas, and no variable at all: the time of the timer is all that there is to know."""

    class Reminder(StatefulProcessor):  # type: ignore[misc]
        def init(self, handle: StatefulProcessorHandle) -> None:
            self.handle = handle
            # Spark wants at least one variable
            self.unused = handle.getValueState("unused", "n INT")

        def handleInputRows(
            self, key: Any, rows: Iterator[pd.DataFrame], timerValues: Any
        ) -> Iterator[pd.DataFrame]:
            found = pd.concat(list(rows))
            timers = list(self.handle.listTimers())
            for timer in timers:
                self.handle.deleteTimer(timer)
            if "paid" not in set(found["what"]):
                newest = int(found["time"].max().timestamp() * 1000) + HALF_AN_HOUR
                self.handle.registerTimer(max([newest, *timers]))
            return iter([])

        def handleExpiredTimer(
            self, key: Any, timerValues: Any, expiredTimerInfo: Any
        ) -> Iterator[pd.DataFrame]:
            due = pd.Timestamp(expiredTimerInfo.getExpiryTimeInMs(), unit="ms")
            yield pd.DataFrame({"order_id": [key[0]], "due": [due]})

    return (
        orders.withWatermark("time", "1 minute")
        .groupBy("order_id")
        .transformWithStateInPandas(
            Reminder(), "order_id STRING, due TIMESTAMP", "Append", "EventTime"
        )
    )
