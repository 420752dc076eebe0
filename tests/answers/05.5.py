"""Answers to 05.5, a function at the end of a chain."""

from collections.abc import Callable, Iterator

import pandas as pd
from pyspark.sql import DataFrame
from pyspark.sql.streaming.state import GroupState, GroupStateTimeout


def _every_third(
    key: tuple[str], chunks: Iterator[pd.DataFrame], card: GroupState
) -> Iterator[pd.DataFrame]:
    (customer,) = key
    (orders,) = card.get if card.exists else (0,)
    found = []
    for order_id in pd.concat(list(chunks)).sort_values("order_time")["order_id"]:
        orders += 1
        if orders % 3 == 0:
            found.append((customer, order_id))
    card.update((orders,))
    yield pd.DataFrame(found, columns=["customer", "order_id"])


def _presents(
    orders: DataFrame,
    *keys: str,
    function: Callable = _every_third,
    timeout: str = GroupStateTimeout.NoTimeout,
) -> DataFrame:
    return orders.groupBy(*keys).applyInPandasWithState(
        function, "customer STRING, order_id STRING", "orders LONG", "append", timeout
    )


def _unique(orders: DataFrame) -> DataFrame:
    return orders.withWatermark("order_time", "1 minute").dropDuplicatesWithinWatermark(
        ["order_id"]
    )


def right_with_a_timeout_that_is_never_set(orders: DataFrame) -> DataFrame:
    """EventTimeTimeout in place of NoTimeout; the function never sets one, so nothing expires."""
    return _presents(_unique(orders), "customer", timeout=GroupStateTimeout.EventTimeTimeout)


def wrong_in_the_order_of_arrival(orders: DataFrame) -> DataFrame:
    """A function of one's own that does not sort the orders of a batch.

    Step 5 brings ben's fourth (10:03:00) before his third (10:02:50): o11 is the present.
    """

    def unsorted(
        key: tuple[str], chunks: Iterator[pd.DataFrame], card: GroupState
    ) -> Iterator[pd.DataFrame]:
        count = card.get[0] if card.exists else 0
        for chunk in chunks:
            for order_id in chunk["order_id"]:
                count += 1
                if count % 3 == 0:
                    yield pd.DataFrame({"customer": [key[0]], "order_id": [order_id]})
        card.update((count,))

    return _presents(_unique(orders), "customer", function=unsorted)


def wrong_in_the_order_of_numbers(orders: DataFrame) -> DataFrame:
    """Sorts the orders of a batch by their number, not by their time.

    The lesson's function sorts by time; a number is a text.
    """

    def by_number(
        key: tuple[str], chunks: Iterator[pd.DataFrame], card: GroupState
    ) -> Iterator[pd.DataFrame]:
        count = card.get[0] if card.exists else 0
        rows = pd.concat(list(chunks)).sort_values("order_id")
        for order_id in rows["order_id"]:
            count += 1
            if count % 3 == 0:
                yield pd.DataFrame({"customer": [key[0]], "order_id": [order_id]})
        card.update((count,))

    return _presents(_unique(orders), "customer", function=by_number)


def wrong_distinct(orders: DataFrame) -> DataFrame:
    """distinct() in front of the function."""
    return _presents(orders.withWatermark("order_time", "1 minute").distinct(), "customer")
