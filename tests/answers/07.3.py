"""Answers to 07.3: the delay said otherwise, and delays that people arrive at on other ways."""

from pyspark.sql import DataFrame


def _within(orders: DataFrame, delay: str) -> DataFrame:
    timed = orders.withWatermark("sent_at", delay)
    return timed.dropDuplicatesWithinWatermark(["order_id"]).select("order_id", "item")


def right_worked_out(orders: DataFrame) -> DataFrame:
    """Works the delay out: 400 s from the first, more than 180 s behind, up to a full minute

    The figures of the table, in code.
    """
    needed = max(400, 180 + 1)
    return _within(orders, f"{-(-needed // 60)} minutes")


def right_as_an_interval(orders: DataFrame) -> DataFrame:
    """Seven minutes in two units, as an interval of SQL

    The same length of time.
    """
    return _within(orders, "interval 6 minutes 60 seconds")


def right_own_query_with_all_but_the_time(orders: DataFrame) -> DataFrame:
    """Writes the query itself, the item in the key, the columns the other way round

    The task asks for a delay; orders_within is offered, not demanded.
    """
    timed = orders.withWatermark("sent_at", "420000 milliseconds")
    return timed.dropDuplicatesWithinWatermark(["item", "order_id"]).select("item", "order_id")


def wrong_as_far_as_orders_are_behind(orders: DataFrame) -> DataFrame:
    """Three minutes, since no order was more than 180 seconds behind

    Rule 2 misread (with 180 s, one that is 180 s behind is late) and rule 1 forgotten.
    """
    return _within(orders, "3 minutes")


def wrong_as_in_the_exercise_before(orders: DataFrame) -> DataFrame:
    """Ten minutes, as in 07.2, or a round figure to be safe"""
    return _within(orders, "10 minutes")


def wrong_as_in_the_first_exercise(orders: DataFrame) -> DataFrame:
    """Five minutes, as in 07.1"""
    return _within(orders, "5 minutes")
