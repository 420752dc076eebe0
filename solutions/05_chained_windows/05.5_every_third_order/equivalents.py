"""Other right ways to end a chain in the function."""

from collections.abc import Iterator

import pandas as pd
from pyspark.sql import DataFrame
from pyspark.sql.streaming.state import GroupState, GroupStateTimeout


def counts_down(orders: DataFrame) -> DataFrame:
    """A function of one's own that keeps how many orders are missing to the next present."""

    def counting_down(
        key: tuple[str], chunks: Iterator[pd.DataFrame], card: GroupState
    ) -> Iterator[pd.DataFrame]:
        missing = card.get[0] if card.exists else 3
        rows = sorted(
            (row for chunk in chunks for row in chunk.itertuples(index=False)),
            key=lambda row: row.order_time,
        )
        for row in rows:
            missing -= 1
            if missing == 0:
                missing = 3
                yield pd.DataFrame({"customer": [key[0]], "order_id": [row.order_id]})
        card.update((missing,))

    return (
        orders.withWatermark("order_time", "60 seconds")
        .dropDuplicatesWithinWatermark(["order_id"])
        .groupBy("customer")
        .applyInPandasWithState(
            counting_down,
            outputStructType="customer STRING, order_id STRING",
            stateStructType="missing INT",
            outputMode="append",
            timeoutConf=GroupStateTimeout.NoTimeout,
        )
    )


def number_and_customer(orders: DataFrame) -> DataFrame:
    """The number and its customer together say what is a copy; the numbers are counted in pandas."""

    def numbered(
        key: tuple[str], chunks: Iterator[pd.DataFrame], card: GroupState
    ) -> Iterator[pd.DataFrame]:
        rows = pd.concat(list(chunks)).sort_values("order_time").reset_index(drop=True)
        before = card.get[0] if card.exists else 0
        card.update((before + len(rows),))
        yield rows[(rows.index + before + 1) % 3 == 0][["customer", "order_id"]]

    unique = orders.withWatermark("order_time", "1 minute").dropDuplicatesWithinWatermark(
        ["customer", "order_id"]
    )
    return unique.groupBy("customer").applyInPandasWithState(
        numbered,
        "customer STRING, order_id STRING",
        "orders LONG",
        "append",
        GroupStateTimeout.NoTimeout,
    )
