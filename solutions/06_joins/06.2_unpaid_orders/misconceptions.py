"""Repairs of the reminders that still lose an order, or count a payment that was never accepted."""

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

_IN_TIME = (
    "paid_order_id = order_id AND paid_time >= order_time "
    "AND paid_time <= order_time + INTERVAL 15 MINUTES"
)


def _joined(
    orders: DataFrame,
    payments: DataFrame,
    how: str = "leftOuter",
    on: str = _IN_TIME,
    delays: tuple[str, str] = ("1 minute", "2 minutes"),
) -> DataFrame:
    ordered, paid = delays
    return orders.withWatermark("order_time", ordered).join(
        payments.withWatermark("paid_time", paid), F.expr(on), how
    )


def filters_the_result(orders: DataFrame, payments: DataFrame) -> DataFrame:
    """Only orders with a payment left

    The orders that were not paid are missing, and they need the reminders. An inner join has no row
    for them, and it removes an order without an id before the watermark sees it. A left join has a
    row for each, with the status of a payment that does not pay, or with nulls. A filter after the
    join such as `status = 'ok'` is true for neither, and `dropna` removes every row with a null. Is
    there such a filter after your join? And which payments should an order be able to meet?
    """
    return _joined(orders, payments).where("status = 'ok'").select("order_id", "paid_time")


def lets_nulls_through(orders: DataFrame, payments: DataFrame) -> DataFrame:
    """Orders with a refused payment get no reminder

    Orders without any payment are there, and C is missing. C found a partner, the refused payment,
    so its row had the status `refused` and not null. The filter removed that row, and C has no
    other row. Which payments should an order be able to meet?
    """
    kept = _joined(orders, payments).where("status = 'ok' OR status IS NULL")
    return kept.select("order_id", "paid_time")


def only_who_never_tried(orders: DataFrame, payments: DataFrame) -> DataFrame:
    """Orders with a failed payment get no reminder

    An order without any payment is there, and C, F and L are missing. Each of them met a payment
    that does not pay, so its row had that payment's id and time. A filter after the join removed
    that row, and the order has no other row. Which payments should an order be able to meet?
    """
    kept = _joined(orders, payments).where("status = 'ok' OR paid_order_id IS NULL")
    return kept.select("order_id", "paid_time")


def every_payment_counts(orders: DataFrame, payments: DataFrame) -> DataFrame:
    """A refused payment counted as paid

    All orders are there, but C, F and L have a time of payment, although no payment of theirs was
    accepted in time. B appears twice. Either your query never uses `status`, or it joins a
    different DataFrame than the filtered one. Which DataFrame is on the right side of your join?
    """
    return _joined(orders, payments).select("order_id", "paid_time")


def only_the_time_taken_away(orders: DataFrame, payments: DataFrame) -> DataFrame:
    """An order emitted with every payment that it meets

    B appears twice: in step 1 with a null for the refused payment, and in step 2 with the time of
    the accepted one. If you empty a column after the join, the row stays. Which payments should an
    order be able to meet?
    """
    paid_time = F.when(F.col("status") == "ok", F.col("paid_time"))
    return _joined(orders, payments).select("order_id", paid_time.alias("paid_time"))


def not_refused(orders: DataFrame, payments: DataFrame) -> DataFrame:
    """Every status except refused counted as paid

    F has a time of payment, and its payment of 10:20:10 is pending. A status has more than two
    values. Which value means that the order is paid?
    """
    kept = payments.where("status <> 'refused'")
    return _joined(orders, kept).select("order_id", "paid_time")


def before_as_well(orders: DataFrame, payments: DataFrame) -> DataFrame:
    """A payment from before the order counted

    K appears twice, once with a payment of 11:59:59, 1 second before the order was made. A
    condition needs two limits for `paid_time`, how early and how late. What is the lower limit in
    yours?
    """
    near = _IN_TIME.replace(">= order_time", ">= order_time - INTERVAL 15 MINUTES")
    kept = payments.where("status = 'ok'")
    return _joined(orders, kept, on=near).select("order_id", "paid_time")


def however_early(orders: DataFrame, payments: DataFrame) -> DataFrame:
    """No lower limit for the payment time

    K appears twice, once with a payment of 11:59:59, 1 second before the order was made, and
    payments stay in the state. A condition needs two limits for `paid_time`, how early and how
    late. Spark evicts orders by one of them and payments by the other. Which one is missing?
    """
    ended = _IN_TIME.replace("AND paid_time >= order_time ", "")
    kept = payments.where("status = 'ok'")
    return _joined(orders, kept, on=ended).select("order_id", "paid_time")


def keeps_both_sides(orders: DataFrame, payments: DataFrame) -> DataFrame:
    """Payments without an order emitted

    There are rows without an order, for payments that found none. A full join keeps the rows
    without a partner of *both* sides. Which side does the task ask about?
    """
    kept = payments.where("status = 'ok'")
    return _joined(orders, kept, "fullOuter").select("order_id", "paid_time")


def other_side_kept(orders: DataFrame, payments: DataFrame) -> DataFrame:
    """Payments kept in place of orders

    The orders that were not paid are missing, and there are rows without an order. The left
    DataFrame is the one before `.join(`, and the right DataFrame is the one inside it. Which of
    them contains the rows that must not be lost?
    """
    kept = payments.where("status = 'ok'")
    return _joined(orders, kept, "rightOuter").select("order_id", "paid_time")


def orders_without_a_watermark(orders: DataFrame, payments: DataFrame) -> DataFrame:
    """No watermark on the orders

    Paid orders were emitted, and unpaid orders never were. The watermark is that of the payments
    alone. Spark emits an order without a payment when it evicts the order. Which stream needs a
    watermark, too?
    """
    kept = payments.where("status = 'ok'").withWatermark("paid_time", "2 minutes")
    return orders.join(kept, F.expr(_IN_TIME), "leftOuter").select("order_id", "paid_time")


def null_is_null(orders: DataFrame, payments: DataFrame) -> DataFrame:
    """A payment without an id paid for an order without one

    The order without an id has a time of payment: that of a payment without an id. The comparison in
    your condition is true for two nulls, as with `<=>`, `eqNullSafe` or a default value for both.
    Which comparison is never true for a null?
    """
    same = _IN_TIME.replace("paid_order_id = order_id", "paid_order_id <=> order_id")
    kept = payments.where("status = 'ok'")
    return _joined(orders, kept, on=same).select("order_id", "paid_time")


def no_orders_without_an_id(orders: DataFrame, payments: DataFrame) -> DataFrame:
    """Orders without an id left out

    The order without an id is missing, and all other rows are right. It can't be paid, so it needs a
    row with a null in `paid_time`. Which filter or `dropna` in your query removes it?
    """
    kept = payments.where("status = 'ok'")
    named = orders.where("order_id IS NOT NULL")
    return _joined(named, kept).select("order_id", "paid_time")


def the_end_left_out(orders: DataFrame, payments: DataFrame) -> DataFrame:
    """A payment of exactly 15 minutes later not counted

    D has no time of payment, and its payment was made exactly 15 minutes after the order. The interval
    of the task includes both ends. Which comparison in your condition excludes the end?
    """
    short = _IN_TIME.replace("paid_time <= order_time", "paid_time < order_time")
    kept = payments.where("status = 'ok'")
    return _joined(orders, kept, on=short).select("order_id", "paid_time")


def one_delay_for_both(orders: DataFrame, payments: DataFrame) -> DataFrame:
    """Delay of 1 minute on the payments

    After step 3 your watermark was {steps.3.watermark}; expected {asked.steps.3.watermark}. So your
    query drops the order J, which is in time by 1 second. Each stream has its own delay, 1 minute for
    orders and 2 for payments. Which delay do your payments have?
    """
    kept = payments.where("status = 'ok'")
    joined = _joined(orders, kept, delays=("1 minute", "1 minute"))
    return joined.select("order_id", "paid_time")


def ten_minutes_to_be_safe(orders: DataFrame, payments: DataFrame) -> DataFrame:
    """Watermark delays longer than the task allows

    After step 3 your watermark was {steps.3.watermark}; expected {asked.steps.3.watermark}. So your
    query emits the order I, which is late, and it emits every unpaid order later. A watermark delay is
    the lateness limit of the task, without a margin. What are the limits of the two streams?
    """
    kept = payments.where("status = 'ok'")
    joined = _joined(orders, kept, delays=("10 minutes", "10 minutes"))
    return joined.select("order_id", "paid_time")
