"""The version that has been running: how many orders a customer has made."""

from collections.abc import Iterator
from typing import Any

from pyspark.sql import DataFrame, Row
from pyspark.sql.streaming import StatefulProcessor, StatefulProcessorHandle


class Card(StatefulProcessor):  # type: ignore[misc]
    def init(self, handle: StatefulProcessorHandle) -> None:
        self.card = handle.getValueState("card", "orders INT")

    def handleInputRows(self, key: Any, rows: Iterator[Row], timerValues: Any) -> Iterator[Row]:
        (orders,) = self.card.get() if self.card.exists() else (0,)
        orders += sum(1 for _ in rows)
        self.card.update((orders,))
        yield Row(customer=key[0], orders=orders)

    def close(self) -> None:
        pass


def subject(orders: DataFrame) -> DataFrame:
    return orders.groupBy("customer").transformWithState(
        Card(),
        outputStructType="customer STRING, orders INT",
        outputMode="Update",
        timeMode="None",
    )
