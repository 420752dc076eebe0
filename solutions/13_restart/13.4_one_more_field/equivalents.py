"""Other right ways to keep the highest amount beside the count."""

from collections.abc import Iterator
from typing import Any

from pyspark.sql import DataFrame, Row
from pyspark.sql.streaming import StatefulProcessor, StatefulProcessorHandle

OUT = "customer STRING, orders INT, highest BIGINT"


def a_second_variable(orders: DataFrame) -> DataFrame:
    """Leaves the old variable as it is, and puts the highest amount into one of its own."""

    class TwoVariables(StatefulProcessor):  # type: ignore[misc]
        def init(self, handle: StatefulProcessorHandle) -> None:
            self.card = handle.getValueState("card", "orders INT")
            self.highest = handle.getValueState("highest", "cents BIGINT")

        def handleInputRows(self, key: Any, rows: Iterator[Row], timerValues: Any) -> Iterator[Row]:
            orders = self.card.get()[0] if self.card.exists() else 0
            highest = self.highest.get()[0] if self.highest.exists() else None
            for row in rows:
                orders += 1
                if row.cents is not None and (highest is None or row.cents > highest):
                    highest = row.cents
            self.card.update((orders,))
            if highest is not None:
                self.highest.update((highest,))
            yield Row(customer=key[0], orders=orders, highest=highest)

        def close(self) -> None:
            pass

    return orders.groupBy("customer").transformWithState(
        TwoVariables(), outputStructType=OUT, outputMode="Update", timeMode="None"
    )


def in_front_and_wider(orders: DataFrame) -> DataFrame:
    """Puts the new field in front, and widens the old one: Avro goes by names, and an INT fits a BIGINT."""

    class Wide(StatefulProcessor):  # type: ignore[misc]
        def init(self, handle: StatefulProcessorHandle) -> None:
            self.card = handle.getValueState("card", "highest BIGINT, orders BIGINT")

        def handleInputRows(self, key: Any, rows: Iterator[Row], timerValues: Any) -> Iterator[Row]:
            highest, orders = self.card.get() if self.card.exists() else (None, 0)
            amounts = [row.cents for row in rows]
            known = [cents for cents in [highest, *amounts] if cents is not None]
            self.card.update((max(known) if known else None, orders + len(amounts)))
            highest, orders = self.card.get()
            yield Row(customer=key[0], orders=orders, highest=highest)

        def close(self) -> None:
            pass

    return orders.groupBy("customer").transformWithState(
        Wide(), outputStructType=OUT, outputMode="Update", timeMode="None"
    )
