"""Answers to 06.2: other repairs of the reminders, right and wrong."""

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

_IN_TIME = (
    "paid_order_id = order_id AND paid_time >= order_time "
    "AND paid_time <= order_time + INTERVAL 15 MINUTES"
)


def _ordered(orders: DataFrame) -> DataFrame:
    return orders.withWatermark("order_time", "1 minute")


def _accepted(payments: DataFrame) -> DataFrame:
    return payments.where("status = 'ok'").withWatermark("paid_time", "2 minutes")


def right_from_the_payments(orders: DataFrame, payments: DataFrame) -> DataFrame:
    """The accepted payments stand on the left of a right outer join; the columns in another order

    It keeps the orders all the same.
    """
    joined = _accepted(payments).join(_ordered(orders), F.expr(_IN_TIME), "right_outer")
    return joined.select("paid_time", "order_id")


def right_id_taken_away(orders: DataFrame, payments: DataFrame) -> DataFrame:
    """A payment that was not accepted loses its order, so that it meets none

    No payment is filtered out; the id of those that are not ok is null, and null is equal to nothing.
    """
    tried = payments.withColumn(
        "paid_order_id", F.when(F.col("status") == "ok", F.col("paid_order_id"))
    ).withWatermark("paid_time", "120 seconds")
    return (
        _ordered(orders)
        .join(tried, F.expr(_IN_TIME), "left")
        .drop("order_time", "paid_order_id", "status")
    )


def right_neither_refused_nor_pending(orders: DataFrame, payments: DataFrame) -> DataFrame:
    """Of the four values of a status it leaves out the three that are not ok

    The task names them all: ok, refused, pending, null.
    """
    accepted = payments.where(~F.coalesce("status", F.lit("pending")).isin("refused", "pending"))
    return (
        _ordered(orders)
        .join(accepted.withWatermark("paid_time", "2 minutes"), F.expr(_IN_TIME), "leftOuter")
        .select(F.col("order_id"), F.col("paid_time"))
    )


def wrong_drops_what_is_not_paid(orders: DataFrame, payments: DataFrame) -> DataFrame:
    """Filters the payments before a left join, as is right, and then drops rows with nulls

    C, F, L and the order without an id are missing.
    """
    joined = _ordered(orders).join(_accepted(payments), F.expr(_IN_TIME), "leftOuter")
    return joined.select("order_id", "paid_time").dropna(subset=["paid_time"])


def wrong_null_is_equal_to_null(orders: DataFrame, payments: DataFrame) -> DataFrame:
    """Compares the ids with <=>, for which null equals null

    "An order without an id is one that nobody can pay for." An accepted payment without an id would pay for it here.
    """
    same = _IN_TIME.replace("paid_order_id = order_id", "paid_order_id <=> order_id")
    joined = _ordered(orders).join(_accepted(payments), F.expr(same), "leftOuter")
    return joined.select("order_id", "paid_time")


def wrong_no_id_is_an_empty_one(orders: DataFrame, payments: DataFrame) -> DataFrame:
    """An id that is null counts as an empty text, on both sides

    An accepted payment without an id pays for an order without one.
    """
    same = _IN_TIME.replace(
        "paid_order_id = order_id", "coalesce(paid_order_id, '') = coalesce(order_id, '')"
    )
    joined = _ordered(orders).join(_accepted(payments), F.expr(same), "leftOuter")
    return joined.select("order_id", "paid_time")


def wrong_whole_seconds(orders: DataFrame, payments: DataFrame) -> DataFrame:
    """Compares the times as whole seconds (CAST AS LONG)

    A payment of 15 minutes and half a second after the order counts, and one from just before the order.
    """
    near = F.expr(
        "paid_order_id = order_id AND CAST(paid_time AS LONG) >= CAST(order_time AS LONG) "
        "AND CAST(paid_time AS LONG) <= CAST(order_time AS LONG) + 900"
    )
    joined = _ordered(orders).join(_accepted(payments), near, "leftOuter")
    return joined.select("order_id", "paid_time")


def wrong_a_second_too_generous(orders: DataFrame, payments: DataFrame) -> DataFrame:
    """Up to, and without, 15 minutes and one second

    Whoever takes "both included" for whole seconds.
    """
    near = _IN_TIME.replace(
        "<= order_time + INTERVAL 15 MINUTES", "< order_time + INTERVAL 901 SECONDS"
    )
    joined = _ordered(orders).join(_accepted(payments), F.expr(near), "leftOuter")
    return joined.select("order_id", "paid_time")


def _paid(orders: DataFrame, payments: DataFrame, between: str) -> DataFrame:
    accepted = payments.where("status = 'ok'").withWatermark("paid_time", "2 minutes")
    condition = F.expr(f"paid_order_id = order_id AND {between}")
    late = orders.withWatermark("order_time", "1 minute")
    return late.join(accepted, condition, "leftOuter").select("order_id", "paid_time")


def wrong_a_quarter_of_an_hour_left_out(orders: DataFrame, payments: DataFrame) -> DataFrame:
    """A quarter of an hour left out."""
    until = "paid_time >= order_time AND paid_time < order_time + INTERVAL 15 MINUTES"
    return _paid(orders, payments, until)


def wrong_orders_without_an_id_left_out(orders: DataFrame, payments: DataFrame) -> DataFrame:
    """Orders without an id left out."""
    until = "paid_time >= order_time AND paid_time <= order_time + INTERVAL 15 MINUTES"
    return _paid(orders.where("order_id IS NOT NULL"), payments, until)


def wrong_twenty_seconds_early(orders: DataFrame, payments: DataFrame) -> DataFrame:
    """Allows for clocks that differ: a payment may be 20 seconds older than its order

    K has two payments.
    """
    near = F.expr(
        "paid_order_id = order_id AND paid_time >= order_time - INTERVAL 20 SECONDS "
        "AND paid_time <= order_time + INTERVAL 15 MINUTES"
    )
    joined = _ordered(orders).join(_accepted(payments), near, "leftOuter")
    return joined.select("order_id", "paid_time")


def wrong_null_is_null(orders: DataFrame, payments: DataFrame) -> DataFrame:
    """Compares ids so that a null is equal to a null

    An order without an id is paid by a payment without one.
    """
    joined = _ordered(orders).join(
        _accepted(payments), F.expr(_IN_TIME.replace(" = ", " <=> ")), "leftOuter"
    )
    return joined.select("order_id", "paid_time")
