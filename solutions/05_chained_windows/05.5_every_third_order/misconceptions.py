"""Chains that count duplicates, keep every id, or put the function in the wrong place."""

from collections.abc import Iterator

import pandas as pd
from pyspark.sql import DataFrame
from pyspark.sql import functions as F
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


def _presents(orders: DataFrame, *keys: str, mode: str = "append") -> DataFrame:
    return orders.groupBy(*keys).applyInPandasWithState(
        _every_third,
        "customer STRING, order_id STRING",
        "orders LONG",
        mode,
        GroupStateTimeout.NoTimeout,
    )


def copies_count(orders: DataFrame) -> DataFrame:
    """Duplicates counted

    A gift is too early, because an order that was sent twice counts as two. The function counts
    every row that it reads. Which operator must come before it?
    """
    return _presents(orders.withWatermark("order_time", "1 minute"), "customer")


def numbers_for_ever(orders: DataFrame) -> DataFrame:
    """Ids of all orders kept in the state

    The gifts are right, and the state grows with every order. An `order_id` may be evicted when no
    duplicate can arrive any more, 1 minute later. The deduplication in your query never evicts.
    Which deduplication keeps ids only as long as the watermark requires?
    """
    unique = orders.withWatermark("order_time", "1 minute").dropDuplicates(["order_id"])
    return _presents(unique, "customer")


def time_in_the_key(orders: DataFrame) -> DataFrame:
    """Duplicate with its own time counted

    A gift is too early. A duplicate has the `order_id` of its order and a later time, so a
    comparison of both columns does not recognize it. Which column do the order and its duplicate
    have in common?
    """
    unique = orders.withWatermark("order_time", "1 minute").dropDuplicatesWithinWatermark(
        ["order_id", "order_time"]
    )
    return _presents(unique, "customer")


def time_in_the_key_for_ever(orders: DataFrame) -> DataFrame:
    """Duplicate with its own time counted by dropDuplicates or distinct

    A gift is too early. If the event time is among the compared columns, Spark can evict, but a
    duplicate with a different time is not recognized. This is true for dropDuplicates with that
    column and for distinct. Which deduplication compares the `order_id` alone and evicts it by the
    watermark?
    """
    unique = orders.withWatermark("order_time", "1 minute").dropDuplicates(
        ["order_id", "order_time"]
    )
    return _presents(unique, "customer")


def a_copy_of_the_customer(orders: DataFrame) -> DataFrame:
    """Orders of one customer treated as duplicates

    Orders are missing in the count. Of all orders that a customer made within a minute, only the
    first was counted. Which column identifies a duplicate?
    """
    unique = orders.withWatermark("order_time", "1 minute").dropDuplicatesWithinWatermark(
        ["customer"]
    )
    return _presents(unique, "customer")


def ten_minutes_to_be_safe(orders: DataFrame) -> DataFrame:
    """Watermark delay longer than the task allows

    After step 1 your watermark was {steps.1.delay} behind the newest order; the task allows
    {asked.steps.1.delay}. So your query counts an order that is late, and keeps every `order_id`
    longer. Which delay does the task require?
    """
    unique = orders.withWatermark("order_time", "10 minutes").dropDuplicatesWithinWatermark(
        ["order_id"]
    )
    return _presents(unique, "customer")


def half_a_minute(orders: DataFrame) -> DataFrame:
    """Watermark delay shorter than the task allows

    After step 1 your watermark was {steps.1.delay} behind the newest order; the task allows
    {asked.steps.1.delay}. So your query dropped o8, which arrived in step 3 and was in time by 1
    second. It also evicts an `order_id` sooner. Which delay does the task require?
    """
    unique = orders.withWatermark("order_time", "30 seconds").dropDuplicatesWithinWatermark(
        ["order_id"]
    )
    return _presents(unique, "customer")


def number_in_the_key(orders: DataFrame) -> DataFrame:
    """A key of more than one value

    The function takes a key of one value, `(customer,) = key`, and Spark called it with more. Its
    state is a customer's card, and a customer has one card. By which column alone must the rows be
    grouped before the function?
    """
    unique = orders.withWatermark("order_time", "1 minute").dropDuplicatesWithinWatermark(
        ["order_id"]
    )
    return _presents(unique, "customer", "order_id")


def update_at_the_end(orders: DataFrame) -> DataFrame:
    """Different modes of function and query

    Spark compares the mode that applyInPandasWithState was given with the mode in which the query
    starts, and rejected the query. This query starts in append mode. Which mode does your call
    pass?
    """
    unique = orders.withWatermark("order_time", "1 minute").dropDuplicatesWithinWatermark(
        ["order_id"]
    )
    return _presents(unique, "customer", mode="update")


def copies_taken_out_behind(orders: DataFrame) -> DataFrame:
    """No event time where duplicates are dropped

    Spark rejected the query: dropDuplicatesWithinWatermark finds no watermark. The rows that your
    own function emits have no event time, and neither has an input before withWatermark. After
    which operator, and before which one, must the deduplication be?
    """
    found = _presents(orders.withWatermark("order_time", "1 minute"), "customer")
    return found.dropDuplicatesWithinWatermark(["order_id"])


def duplicates_dropped_behind(orders: DataFrame) -> DataFrame:
    """A stateful operator after the function

    The query started and then failed: Spark could not pass the rows of the function to the operator
    after it. A deduplication after the function would not help anyway, because the function has
    counted the duplicates. After which operator, and before which one, must the deduplication be?
    """
    found = _presents(orders.withWatermark("order_time", "1 minute"), "customer")
    return found.dropDuplicates(["order_id"])


def copies_grouped_away(orders: DataFrame) -> DataFrame:
    """An aggregation before the function

    Spark rejected the query: this function cannot follow a groupBy with an aggregation. It can
    follow a deduplication. Which deduplication emits one row per `order_id`, and evicts the id in
    time?
    """
    unique = (
        orders.withWatermark("order_time", "1 minute")
        .groupBy(F.window("order_time", "1 minute"), "order_id", "customer")
        .agg(F.min("order_time").alias("order_time"))
    )
    return _presents(unique, "customer")


def in_the_order_of_arrival(orders: DataFrame) -> DataFrame:
    """Orders of a micro-batch counted in the order of arrival

    In step 5 ben's third order got no gift, and his fourth did. The fourth order is before the third in
    the topic, and rows of a micro-batch reach the function in any order. By which column does
    `every_third` sort them?
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

    unique = orders.withWatermark("order_time", "1 minute").dropDuplicatesWithinWatermark(
        ["order_id"]
    )
    return unique.groupBy("customer").applyInPandasWithState(
        unsorted,
        "customer STRING, order_id STRING",
        "orders LONG",
        "append",
        GroupStateTimeout.NoTimeout,
    )
