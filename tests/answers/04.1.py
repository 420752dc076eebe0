"""Answers to 04.1, revenue by half hour."""

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F


def _revenue(orders: DataFrame, window: Column, delay: str = "5 minutes") -> DataFrame:
    return (
        orders.withWatermark("order_time", delay)
        .groupBy(window.alias("window"))
        .agg(F.count("*").alias("orders"), F.sum("cents").alias("revenue"))
    )


def right_window_in_a_column_first(orders: DataFrame) -> DataFrame:
    """Makes the window with expr in a column of its own, then groups by that column; other column order and types."""
    cut = "window(order_time, '30 minutes', '30 minutes', '10 minutes')"
    return (
        orders.withWatermark("order_time", "5 minutes")
        .withColumn("window", F.expr(cut))
        .groupBy("window")
        .agg(
            F.sum("cents").cast("decimal(20,0)").alias("revenue"),
            F.sum(F.lit(1)).cast("int").alias("orders"),
        )
    )


def right_partial_sums_with_when(orders: DataFrame) -> DataFrame:
    """Counts with and without money apart and adds them; the slide given as long as the window."""
    cut = F.window("order_time", "30 minutes", "30 minutes", startTime="600 seconds")
    return (
        orders.withWatermark("order_time", "5 minutes")
        .groupBy(cut)
        .agg(
            F.count("cents").alias("paid"),
            F.count_if(F.col("cents").isNull()).alias("vouchers"),
            F.sum("cents").alias("revenue"),
        )
        .select("window", (F.col("paid") + F.col("vouchers")).alias("orders"), "revenue")
    )


def wrong_zero_for_vouchers(orders: DataFrame) -> DataFrame:
    """A half hour of vouchers alone has revenue 0 instead of null (coalesce of the sum).

    The task: revenue is "null where all were vouchers".
    """
    counted = _revenue(orders, F.window("order_time", "30 minutes", startTime="10 minutes"))
    return counted.withColumn("revenue", F.coalesce("revenue", F.lit(0)))


def wrong_vouchers_are_zero_cents(orders: DataFrame) -> DataFrame:
    """Nulls are made 0 with fillna before all else, so that a half hour of vouchers has revenue 0.

    The task wants null there.
    """
    return _revenue(
        orders.fillna(0, ["cents"]), F.window("order_time", "30 minutes", startTime="10 minutes")
    )


def wrong_offset_forty(orders: DataFrame) -> DataFrame:
    """The offset is 40 minutes (twenty to), which Spark refuses: it has to be shorter than the slide.

    Spark refuses before any event.
    """
    return _revenue(orders, F.window("order_time", "30 minutes", startTime="40 minutes"))


def wrong_slide_and_offset_of_ten(orders: DataFrame) -> DataFrame:
    """Ten minutes as the slide and as the offset; Spark refuses an offset as long as the slide."""
    return _revenue(orders, F.window("order_time", "30 minutes", "10 minutes", "10 minutes"))


def _half_hours(orders: DataFrame) -> DataFrame:
    windows = orders.groupBy(F.window("order_time", "30 minutes", startTime="10 minutes"))
    return windows.agg(F.count("*").alias("orders"), F.sum("cents").alias("revenue"))


def wrong_copies_taken_out(orders: DataFrame) -> DataFrame:
    """Copies taken out."""
    late = orders.withWatermark("order_time", "5 minutes")
    return _half_hours(late.dropDuplicates(["order_time", "cents"]))


def wrong_returns_left_out(orders: DataFrame) -> DataFrame:
    """Returns left out."""
    return _half_hours(orders.withWatermark("order_time", "5 minutes").where("cents > 0"))


def wrong_named_by_their_start(orders: DataFrame) -> DataFrame:
    """Named by their start."""
    late = _half_hours(orders.withWatermark("order_time", "5 minutes"))
    return late.withColumn("window", F.col("window.start"))


def wrong_never_below_zero(orders: DataFrame) -> DataFrame:
    """A half hour in which more was returned than sold has revenue 0, not less."""
    counted = _half_hours(orders.withWatermark("order_time", "5 minutes"))
    return counted.withColumn(
        "revenue", F.when(F.col("revenue") < 0, 0).otherwise(F.col("revenue"))
    )


def wrong_vouchers_left_out(orders: DataFrame) -> DataFrame:
    """Vouchers are left out in front of the count."""
    return _half_hours(orders.dropna(subset=["cents"]).withWatermark("order_time", "5 minutes"))


def wrong_ends_written_out(orders: DataFrame) -> DataFrame:
    """The half hour is two texts, as they are to be read."""
    late = _half_hours(orders.withWatermark("order_time", "5 minutes"))
    ends = [F.date_format(f"window.{end}", "HH:mm").alias(end) for end in ("start", "end")]
    return late.withColumn("window", F.struct(*ends))
