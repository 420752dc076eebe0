"""Half hours that begin elsewhere, overlap, or wait for something else."""

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F


def _revenue(orders: DataFrame, window: Column, delay: str = "5 minutes") -> DataFrame:
    return (
        orders.withWatermark("order_time", delay)
        .groupBy(window.alias("window"))
        .agg(F.count("*").alias("orders"), F.sum("cents").alias("revenue"))
    )


def _half_hours(orders: DataFrame, delay: str = "5 minutes") -> DataFrame:
    """From ten past and from twenty to, as the task asks."""
    return _revenue(orders, F.window("order_time", "30 minutes", startTime="10 minutes"), delay)


def no_offset(orders: DataFrame) -> DataFrame:
    """Half hours from the full hour

    The windows that came out begin at the full hour and at half past. The till is emptied at ten
    past and at twenty to. Windows are counted from 1970 on, from midnight; which argument moves
    them?
    """
    return _revenue(orders, F.window("order_time", "30 minutes"))


def offset_as_slide(orders: DataFrame) -> DataFrame:
    """The ten minutes stand where the slide belongs

    Windows came out that begin every ten minutes, and an order counts in three of them. The third
    argument of `window` is the slide. The offset is the fourth; it is safest by its name,
    `startTime`.
    """
    return _revenue(orders, F.window("order_time", "30 minutes", "10 minutes"))


def offset_backwards(orders: DataFrame) -> DataFrame:
    """The windows are moved the other way

    The windows that came out begin at twenty past and at ten to. An offset says how long after the
    full hour the windows begin.
    """
    return _revenue(orders, F.window("order_time", "30 minutes", startTime="20 minutes"))


def moved_orders(orders: DataFrame) -> DataFrame:
    """The orders are moved instead of the windows

    The orders are in the right company, but the windows bear the wrong name: the half hour from
    12:10 came out as one from 12:00. Whoever moves the times moves the watermark, too. Leave the
    orders where they are and move the windows.
    """
    moved = orders.withColumn("order_time", F.col("order_time") - F.expr("INTERVAL 10 MINUTES"))
    return _revenue(moved, F.window("order_time", "30 minutes"))


def length_as_delay(orders: DataFrame) -> DataFrame:
    """The delay is as long as the window

    After step 1 the watermark stood {steps.1.delay} behind the newest order;
    {asked.steps.1.delay} are asked for. The length says what is counted together, the delay how
    late an order may be. They have nothing to do with each other.
    """
    return _half_hours(orders, "30 minutes")


def offset_as_delay(orders: DataFrame) -> DataFrame:
    """The delay is as long as the offset

    After step 1 the watermark stood {steps.1.delay} behind the newest order;
    {asked.steps.1.delay} are asked for. The ten minutes say where the half hours begin, not how
    late an order may be.
    """
    return _half_hours(orders, "10 minutes")


def no_watermark(orders: DataFrame) -> DataFrame:
    """Spark cannot tell when a row is final

    Spark refused the query. In append mode a row comes out once, when its time is over. For that
    a window has to be among the keys, as a whole and not its start alone, and a watermark has to be
    set before the grouping, on the column that the window is made of. Which of the two is absent,
    or on another column? `orders.order_time`, the column of the DataFrame from before
    withWatermark, is another one.
    """
    return orders.groupBy(F.window("order_time", "30 minutes", startTime="10 minutes")).agg(
        F.count("*").alias("orders"), F.sum("cents").alias("revenue")
    )


def vouchers_are_no_orders(orders: DataFrame) -> DataFrame:
    """An order without an amount is not counted

    An order that was paid by voucher is missing in `orders`: where it is the only one there are 0.
    `count` of a column leaves out the rows in which it is null, and so does a condition on it;
    `count("*")` counts rows.
    """
    return (
        orders.withWatermark("order_time", "5 minutes")
        .groupBy(F.window("order_time", "30 minutes", startTime="10 minutes"))
        .agg(F.count("cents").alias("orders"), F.sum("cents").alias("revenue"))
    )


def vouchers_left_out(orders: DataFrame) -> DataFrame:
    """Orders without an amount are left out

    The half hour 13:10–13:40 has no row: its only order was paid by voucher, and the one of 12:41:00
    is missing in `orders`, too. They are orders. `sum` passes over a null by itself.
    """
    return _half_hours(orders.where(F.col("cents").isNotNull()))


def vouchers_bring_zero(orders: DataFrame) -> DataFrame:
    """A half hour of vouchers has a revenue of 0

    The only order of 13:10–13:40 was paid by voucher; its revenue came out as 0, and the task asks
    for null. `sum` gives that by itself where all it is given is null. What makes it 0 in yours?
    """
    return _half_hours(orders.fillna(0, ["cents"]))
