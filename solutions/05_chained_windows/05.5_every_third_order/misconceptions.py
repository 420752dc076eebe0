"""Chains that count copies, remember numbers for ever, or put the function where it cannot stand."""

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
    """Copies are counted

    A present came too early: an order that was sent twice counts as two. The function counts what
    it is given. What has to stand before it?
    """
    return _presents(orders.withWatermark("order_time", "1 minute"), "customer")


def numbers_for_ever(orders: DataFrame) -> DataFrame:
    """Right, with the numbers of all orders kept

    The presents are right, and the state grows with every order. A number may be forgotten when
    no copy can come any more, and that is a minute later; what removes copies here does not know
    it. There is a deduplication that remembers for as long as the watermark allows.
    """
    unique = orders.withWatermark("order_time", "1 minute").dropDuplicates(["order_id"])
    return _presents(unique, "customer")


def time_in_the_key(orders: DataFrame) -> DataFrame:
    """A copy with a time of its own is counted

    A present came too early. A copy has the number of its order and a later time; whoever compares
    both does not know it for a copy. What is it that both have in common?
    """
    unique = orders.withWatermark("order_time", "1 minute").dropDuplicatesWithinWatermark(
        ["order_id", "order_time"]
    )
    return _presents(unique, "customer")


def time_in_the_key_for_ever(orders: DataFrame) -> DataFrame:
    """A copy with a time of its own is counted, as the time is compared, too

    A present came too early. Where the event time is among the columns that are compared, as in
    dropDuplicates with that column or in distinct, Spark can forget, and a copy that has another time
    is none. There is a deduplication that compares the number alone and forgets it by the watermark.
    """
    unique = orders.withWatermark("order_time", "1 minute").dropDuplicates(
        ["order_id", "order_time"]
    )
    return _presents(unique, "customer")


def a_copy_of_the_customer(orders: DataFrame) -> DataFrame:
    """Orders of one customer are taken for copies

    Orders are missing in the count: of the orders that a customer made within a minute, only the
    first is there. By what do you know a copy?
    """
    unique = orders.withWatermark("order_time", "1 minute").dropDuplicatesWithinWatermark(
        ["customer"]
    )
    return _presents(unique, "customer")


def ten_minutes_to_be_safe(orders: DataFrame) -> DataFrame:
    """More patience than the task asks for

    After step 1 the watermark stood {steps.1.delay} behind the newest order;
    {asked.steps.1.delay} is asked for. So an order counts that is too late, and every number is
    remembered for longer.
    """
    unique = orders.withWatermark("order_time", "10 minutes").dropDuplicatesWithinWatermark(
        ["order_id"]
    )
    return _presents(unique, "customer")


def half_a_minute(orders: DataFrame) -> DataFrame:
    """Less patience than the task asks for

    After step 1 the watermark stood {steps.1.delay} behind the newest order; {asked.steps.1.delay} is asked
    for. So o8, which came in step 3 and in time by a second, was too late for your query, and a number is
    forgotten sooner.
    """
    unique = orders.withWatermark("order_time", "30 seconds").dropDuplicatesWithinWatermark(
        ["order_id"]
    )
    return _presents(unique, "customer")


def number_in_the_key(orders: DataFrame) -> DataFrame:
    """The function cannot unpack its key

    The function takes a key of one value, `(customer,) = key`, and was called with more. Its state
    is a customer's card, and a customer has one. By what alone are the rows grouped in front of
    it?
    """
    unique = orders.withWatermark("order_time", "1 minute").dropDuplicatesWithinWatermark(
        ["order_id"]
    )
    return _presents(unique, "customer", "order_id")


def update_at_the_end(orders: DataFrame) -> DataFrame:
    """The function has another mode than the query

    Spark compares the mode that applyInPandasWithState was given with the mode in which the query
    is started, and refused. This query is started in append mode, so the function has to be given that mode, too.
    """
    unique = orders.withWatermark("order_time", "1 minute").dropDuplicatesWithinWatermark(
        ["order_id"]
    )
    return _presents(unique, "customer", mode="update")


def copies_taken_out_behind(orders: DataFrame) -> DataFrame:
    """No event time where the copies are taken out

    Spark refused the query: dropDuplicatesWithinWatermark finds no watermark. What a function of
    your own gives out has no event time any more, and neither has an input before withWatermark.
    Behind what has the deduplication to stand, and before what?
    """
    found = _presents(orders.withWatermark("order_time", "1 minute"), "customer")
    return found.dropDuplicatesWithinWatermark(["order_id"])


def duplicates_dropped_behind(orders: DataFrame) -> DataFrame:
    """The function's rows go on to another operator

    The query started and then failed: Spark could not hand on the rows that come out of the function to
    what stands behind it. A deduplication would come too late there anyway: by then the function has
    counted the copies. Behind what has it to stand, and before what?
    """
    found = _presents(orders.withWatermark("order_time", "1 minute"), "customer")
    return found.dropDuplicates(["order_id"])


def copies_grouped_away(orders: DataFrame) -> DataFrame:
    """An aggregation in front of the function

    Spark refused the query: this function cannot stand behind a groupBy with an aggregation. Behind a
    deduplication it can. Which one hands on one row of those with the same number, and forgets the
    number in time?
    """
    unique = (
        orders.withWatermark("order_time", "1 minute")
        .groupBy(F.window("order_time", "1 minute"), "order_id", "customer")
        .agg(F.min("order_time").alias("order_time"))
    )
    return _presents(unique, "customer")
