"""The query whose state is read: reminders of orders that are not paid within 30 minutes."""

from collections.abc import Iterator
from datetime import datetime
from typing import Any

from pyspark.sql import DataFrame, Row
from pyspark.sql.streaming import StatefulProcessor, StatefulProcessorHandle


class Reminder(StatefulProcessor):  # type: ignore[misc]
    def init(self, handle: StatefulProcessorHandle) -> None:
        self.handle = handle
        self.changes = handle.getListState("changes", "ms LONG")
        self.customer = handle.getValueState("customer", "name STRING")

    def handleInputRows(self, key: Any, rows: Iterator[Row], timerValues: Any) -> Iterator[Row]:
        for timer in list(self.handle.listTimers()):
            self.handle.deleteTimer(timer)
        for row in sorted(rows, key=lambda row: row.time):
            self.customer.update((row.customer,))
            self.changes.appendValue((int(row.time.timestamp() * 1000),))
            if row.what == "paid":
                self.changes.clear()
                self.customer.clear()
                return iter([])
        newest = max(ms for (ms,) in self.changes.get())
        self.handle.registerTimer(newest + 30 * 60 * 1000)
        return iter([])

    def handleExpiredTimer(
        self, key: Any, timerValues: Any, expiredTimerInfo: Any
    ) -> Iterator[Row]:
        self.changes.clear()
        self.customer.clear()
        ms = expiredTimerInfo.getExpiryTimeInMs()
        yield Row(order_id=key[0], due=datetime.fromtimestamp(ms / 1000))


def subject(orders: DataFrame) -> DataFrame:
    return (
        orders.withWatermark("time", "1 minute")
        .groupBy("order_id")
        .transformWithState(
            Reminder(),
            outputStructType="order_id STRING, due TIMESTAMP",
            outputMode="Append",
            timeMode="EventTime",
        )
    )
