"""Repairs of the reminders that still lose an order, or count what was never accepted."""

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

_IN_TIME = (
    "paid_order_id = order_id AND paid_time >= order_time "
    "AND paid_time <= order_time + INTERVAL 15 MINUTES"
)


def _joined(
    orders: DataFrame, payments: DataFrame, how: str = "leftOuter", on: str = _IN_TIME
) -> DataFrame:
    return orders.withWatermark("order_time", "1 minute").join(
        payments.withWatermark("paid_time", "2 minutes"), F.expr(on), how
    )


def filters_the_result(orders: DataFrame, payments: DataFrame) -> DataFrame:
    """Only orders with a payment are left

    The orders that nobody paid are missing: those for which the reminders are sent. An inner join
    has no row for them (and Spark leaves out an order without an id before the watermark sees it). A
    left join has one, with the status of a payment that was not accepted, or with nulls where the
    order met none at all. A filter behind the join such as `status = 'ok'` is true of neither, and
    `dropna` leaves no row with a null. Is there anything of the kind behind your join? And which
    payments should an order be able to meet?
    """
    return _joined(orders, payments).where("status = 'ok'").select("order_id", "paid_time")


def lets_nulls_through(orders: DataFrame, payments: DataFrame) -> DataFrame:
    """Whoever was refused gets no reminder

    Orders without any payment are there, and C is missing. It did find a partner, the refused
    payment, so its row held `refused` and no null; the filter took that row out, and there is
    no other one of C. Which payments should an order be able to meet?
    """
    kept = _joined(orders, payments).where("status = 'ok' OR status IS NULL")
    return kept.select("order_id", "paid_time")


def only_who_never_tried(orders: DataFrame, payments: DataFrame) -> DataFrame:
    """Whoever tried to pay in vain gets no reminder

    An order that met no payment at all is there, and C, F and L are missing. Each of them met a payment
    that was not accepted, so its row held that payment's id and time and no null there; behind the join
    that row was taken out, and there is no other one of that order. Which payments should an order be
    able to meet?
    """
    kept = _joined(orders, payments).where("status = 'ok' OR paid_order_id IS NULL")
    return kept.select("order_id", "paid_time")


def every_payment_counts(orders: DataFrame, payments: DataFrame) -> DataFrame:
    """A payment that was refused counts as paid

    All orders are there, but C, F and L have a time of payment, and no payment of theirs was
    accepted in time; B came out twice. Either nothing looks at `status` any more, or the frame that
    came of it is not the one that was joined.
    """
    return _joined(orders, payments).select("order_id", "paid_time")


def only_the_time_taken_away(orders: DataFrame, payments: DataFrame) -> DataFrame:
    """An order comes out with every payment that it meets

    B came out twice, in step 1 with a null, for the payment that was refused, and in step 2 with the
    time of the accepted one. A column that is emptied behind the join leaves the row where it is.
    Which payments should an order be able to meet?
    """
    paid_time = F.when(F.col("status") == "ok", F.col("paid_time"))
    return _joined(orders, payments).select("order_id", paid_time.alias("paid_time"))


def not_refused(orders: DataFrame, payments: DataFrame) -> DataFrame:
    """Not refused is not accepted yet

    F has a time of payment, and its payment of 10:20:10 is pending. A status may be more than two
    things. Which one of them means that the money is there?
    """
    kept = payments.where("status <> 'refused'")
    return _joined(orders, kept).select("order_id", "paid_time")


def before_as_well(orders: DataFrame, payments: DataFrame) -> DataFrame:
    """A payment from before the order counts

    K came out twice, once with a payment of 11:59:59, a second before the order was made. A condition
    needs two limits for `paid_time`, how early and how late. Where does the early one stand in yours?
    """
    near = _IN_TIME.replace(">= order_time", ">= order_time - INTERVAL 15 MINUTES")
    kept = payments.where("status = 'ok'")
    return _joined(orders, kept, on=near).select("order_id", "paid_time")


def however_early(orders: DataFrame, payments: DataFrame) -> DataFrame:
    """Nothing says how early a payment may be

    K came out twice, once with a payment of 11:59:59, a second before the order was made, and payments
    stay in the state. A condition needs two limits for `paid_time`, how early and how late. Spark lets
    orders go by the one and payments by the other. Which of them is missing?
    """
    ended = _IN_TIME.replace("AND paid_time >= order_time ", "")
    kept = payments.where("status = 'ok'")
    return _joined(orders, kept, on=ended).select("order_id", "paid_time")


def keeps_both_sides(orders: DataFrame, payments: DataFrame) -> DataFrame:
    """Payments without an order come out, too

    There are rows without an order, for payments that found none. A full join keeps what found no
    partner on *both* sides. You were asked about orders.
    """
    kept = payments.where("status = 'ok'")
    return _joined(orders, kept, "fullOuter").select("order_id", "paid_time")


def other_side_kept(orders: DataFrame, payments: DataFrame) -> DataFrame:
    """The payments are kept, not the orders

    The orders that nobody paid are missing, and there are rows without an order. `left` and `right`
    mean the frame before and the one behind `.join(`. Which of them holds the rows that must not
    get lost?
    """
    kept = payments.where("status = 'ok'")
    return _joined(orders, kept, "rightOuter").select("order_id", "paid_time")


def orders_without_a_watermark(orders: DataFrame, payments: DataFrame) -> DataFrame:
    """Orders without a payment wait for ever

    Orders that were paid came out, and those that nobody paid never did. The watermark is that of the
    payments alone. An order comes out alone when Spark lets go of it, and for that the orders need a
    watermark as well.
    """
    kept = payments.where("status = 'ok'").withWatermark("paid_time", "2 minutes")
    return orders.join(kept, F.expr(_IN_TIME), "leftOuter").select("order_id", "paid_time")
