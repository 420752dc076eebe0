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
    """From :10 and :40 past the hour, as the task requires."""
    return _revenue(orders, F.window("order_time", "30 minutes", startTime="10 minutes"), delay)


def no_offset(orders: DataFrame) -> DataFrame:
    """Windows without an offset

    Spark emitted windows that begin at :00 and :30. The cash register is emptied at :10 and
    :40. Spark counts windows from midnight of 1 January 1970. Which argument of `window` moves
    them?
    """
    return _revenue(orders, F.window("order_time", "30 minutes"))


def offset_as_slide(orders: DataFrame) -> DataFrame:
    """Offset passed as the slide

    Spark emitted windows that begin every ten minutes, and counted each order in three of them.
    The third argument of `window` is the slide, the fourth is the offset. By which name can you
    pass the offset?
    """
    return _revenue(orders, F.window("order_time", "30 minutes", "10 minutes"))


def offset_backwards(orders: DataFrame) -> DataFrame:
    """Offset in the wrong direction

    Spark emitted windows that begin at :20 and :50. The offset says how long after the full
    hour the windows begin. How long is that for a window from :10?
    """
    return _revenue(orders, F.window("order_time", "30 minutes", startTime="20 minutes"))


def moved_orders(orders: DataFrame) -> DataFrame:
    """Orders shifted instead of windows

    The right orders are counted together, but the windows have the wrong name. The half hour
    from 12:10 was emitted as a window from 12:00. A shifted time also shifts the watermark.
    Which argument of `window` moves the windows and leaves the orders unchanged?
    """
    moved = orders.withColumn("order_time", F.col("order_time") - F.expr("INTERVAL 10 MINUTES"))
    return _revenue(moved, F.window("order_time", "30 minutes"))


def length_as_delay(orders: DataFrame) -> DataFrame:
    """Watermark delay equals window length

    After step 1 the watermark was {steps.1.delay} behind the newest order; expected
    {asked.steps.1.delay}. The window length says which orders are counted together. The delay
    says how long to wait for late orders. How far behind may an order be?
    """
    return _half_hours(orders, "30 minutes")


def offset_as_delay(orders: DataFrame) -> DataFrame:
    """Watermark delay equals offset

    After step 1 the watermark was {steps.1.delay} behind the newest order; expected
    {asked.steps.1.delay}. The ten minutes say where the half hours begin. How far behind may an
    order be?
    """
    return _half_hours(orders, "10 minutes")


def no_watermark(orders: DataFrame) -> DataFrame:
    """No watermark that Spark can use for the window

    Spark refused the query. Append mode emits each row once, when its window has closed. For
    that the window must be a grouping key, as a whole and not only its start. The watermark
    must be set before the grouping, on the column that the window is made of. The column
    `orders.order_time` of the DataFrame before withWatermark is another column. Which of these
    conditions is not met?
    """
    return orders.groupBy(F.window("order_time", "30 minutes", startTime="10 minutes")).agg(
        F.count("*").alias("orders"), F.sum("cents").alias("revenue")
    )


def vouchers_are_no_orders(orders: DataFrame) -> DataFrame:
    """Count of a column that may be null

    An order that was paid by voucher is missing in `orders`: a window with only a voucher has
    0. The call `count` of a column skips rows in which the column is null, and so does a
    condition on that column. Which call counts rows?
    """
    return (
        orders.withWatermark("order_time", "5 minutes")
        .groupBy(F.window("order_time", "30 minutes", startTime="10 minutes"))
        .agg(F.count("cents").alias("orders"), F.sum("cents").alias("revenue"))
    )


def vouchers_left_out(orders: DataFrame) -> DataFrame:
    """Orders without an amount left out

    The half hour 13:10–13:40 has no row: its only order was paid by voucher. The voucher of
    12:41:00 is missing in `orders`, too. Vouchers are orders, and `sum` skips a null by itself.
    Which line of your query removes them?
    """
    return _half_hours(orders.where(F.col("cents").isNotNull()))


def vouchers_bring_zero(orders: DataFrame) -> DataFrame:
    """Revenue of 0 for a window of vouchers

    The only order of 13:10–13:40 was paid by voucher. Its revenue is 0; expected null. If all
    values are null, `sum` returns null by itself. What makes it 0 in your query?
    """
    return _half_hours(orders.fillna(0, ["cents"]))


def no_delay(orders: DataFrame) -> DataFrame:
    """Delay of zero

    After step 1 the watermark was {steps.1.watermark}, the newest order itself; expected
    {asked.steps.1.delay} behind it. So the half hour 12:10–12:40 closed in step 2, and Spark
    dropped the order of 12:36:00 in step 3. How far behind may an order be?
    """
    return _half_hours(orders, "0 seconds")


def returns_left_out(orders: DataFrame) -> DataFrame:
    """Returns left out

    The half hour 12:10–12:40 has 1 order fewer than expected and a higher revenue: its return is missing. A return
    is an order with negative `cents`. Which line of your query removes it?
    """
    return _half_hours(orders.where("cents >= 0 OR cents IS NULL"))


def never_below_zero(orders: DataFrame) -> DataFrame:
    """Negative revenue replaced by 0

    In the half hour 12:40–13:10 more was returned than sold: expected revenue −200 cents. Yours is not negative.
    Which function limits the sum in your query?
    """
    counted = _half_hours(orders)
    revenue = F.col("revenue")
    return counted.withColumn("revenue", F.when(revenue < 0, 0).otherwise(revenue))


def only_positive_amounts(orders: DataFrame) -> DataFrame:
    """Only orders with a positive amount counted

    The half hour 12:10–12:40 has 1 order fewer than expected, because its return is missing. The half hour 13:10–13:40
    has no row, because its only order was paid by voucher. A condition on a null is not true. Which line of your
    query removes orders?
    """
    return _half_hours(orders.where(F.col("cents") > 0))
