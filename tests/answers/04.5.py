"""Answers to 04.5, a report by local day."""

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F


def _by_day(timed: DataFrame, delay: str = "10 minutes") -> DataFrame:
    days = (
        timed.withWatermark("local", delay)
        .groupBy(F.window("local", "1 day"))
        .agg(F.count("*").alias("sales"), F.sum("cents").alias("cents"))
    )
    return days.select(F.col("window.start").cast("date").alias("day"), "sales", "cents")


def right_central_european_time(sales: DataFrame) -> DataFrame:
    """The zone by the name CET, the day from the window's end less a day, another order of columns."""
    days = (
        sales.withColumn("local", F.expr("from_utc_timestamp(sold_at, 'CET')"))
        .withWatermark("local", "10 minutes")
        .groupBy(F.window("local", "24 hours", "24 hours", "0 seconds").alias("w"))
        .agg(F.sum("cents").cast("decimal(20,0)").alias("cents"), F.count("*").alias("sales"))
    )
    return days.select("sales", F.date_sub(F.to_date("w.end"), 1).alias("day"), "cents")


def right_clock_as_text(sales: DataFrame) -> DataFrame:
    """Writes the clock in Berlin as text, reads it again as a time, and takes the date of the window's last moment."""
    text = F.date_format(F.from_utc_timestamp("sold_at", "Europe/Berlin"), "yyyy-MM-dd HH:mm:ss")
    days = (
        sales.withColumn("local", F.to_timestamp(text, "yyyy-MM-dd HH:mm:ss"))
        .withWatermark("local", "10 minutes")
        .withColumn("day", F.window("local", "1 day"))
        .groupBy("day")
        .agg(F.count(F.lit(1)).alias("sales"), F.sum("cents").alias("cents"))
    )
    return days.select(F.to_date(F.window_time("day")).alias("day"), "sales", "cents")


def right_hours_added_by_the_rule(sales: DataFrame) -> DataFrame:
    """Adds one hour or two by the rule of the last Sundays of March and October, for any year."""
    at = F.col("sold_at")

    def _last_sunday(month: int) -> Column:
        last = F.last_day(F.make_date(F.year(at), F.lit(month), F.lit(1)))
        return F.date_sub(F.next_day(last, "Sun"), 7).cast("timestamp") + F.expr("INTERVAL 1 HOUR")

    summer = (at >= _last_sunday(3)) & (at < _last_sunday(10))
    hours = F.when(summer, F.expr("INTERVAL 2 HOURS")).otherwise(F.expr("INTERVAL 1 HOURS"))
    return _by_day(sales.withColumn("local", at + hours))


def wrong_watermark_on_a_text(sales: DataFrame) -> DataFrame:
    """The watermark is set on the day as a text.

    Spark refuses: a text is no timestamp.
    """
    dated = sales.withColumn(
        "day", F.date_format(F.from_utc_timestamp("sold_at", "Europe/Berlin"), "yyyy-MM-dd")
    )
    counted = dated.withWatermark("day", "10 minutes").groupBy("day")
    days = counted.agg(F.count("*").alias("sales"), F.sum("cents").alias("cents"))
    return days.withColumn("day", F.to_date("day"))


def wrong_only_sales_with_money(sales: DataFrame) -> DataFrame:
    """Counts the sales that brought more than nothing.

    The vouchers of 25 and 27 October are not in `sales`.
    """
    days = (
        sales.withColumn("local", F.from_utc_timestamp("sold_at", "Europe/Berlin"))
        .withWatermark("local", "10 minutes")
        .groupBy(F.window("local", "1 day"))
        .agg(F.count_if(F.col("cents") > 0).alias("sales"), F.sum("cents").alias("cents"))
    )
    return days.select(F.to_date("window.start").alias("day"), "sales", "cents")


def wrong_grouped_by_the_date_of_the_window(sales: DataFrame) -> DataFrame:
    """Groups by the date of the window's start, not by the window.

    Spark refuses, as a field of the window is a plain time.
    """
    day = F.to_date(F.window("local", "1 day").start)
    return (
        sales.withColumn("local", F.from_utc_timestamp("sold_at", "Europe/Berlin"))
        .withWatermark("local", "10 minutes")
        .groupBy(day.alias("day"))
        .agg(F.count("*").alias("sales"), F.sum("cents").alias("cents"))
    )


def _by_window_and_date(sales: DataFrame, window: Column) -> DataFrame:
    day = F.to_date(F.from_utc_timestamp("sold_at", "Europe/Berlin")).alias("day")
    days = sales.withWatermark("sold_at", "10 minutes").groupBy(window, day)
    return days.agg(F.count("*").alias("sales"), F.sum("cents").alias("cents")).drop("window")


def wrong_date_beside_a_window_of_utc(sales: DataFrame) -> DataFrame:
    """The date in Berlin is a key beside a window of UTC, which cuts the day in two."""
    return _by_window_and_date(sales, F.window("sold_at", "1 day"))


def wrong_date_beside_a_window_of_winter(sales: DataFrame) -> DataFrame:
    """The same with a window from 23:00 UTC: right in winter."""
    return _by_window_and_date(sales, F.window("sold_at", "1 day", startTime="23 hours"))


def wrong_offset_of_plus_one_hour(sales: DataFrame) -> DataFrame:
    """Berlin is an hour ahead, so the offset is an hour: days from 01:00 UTC."""
    timed = sales.withWatermark("sold_at", "10 minutes")
    days = timed.groupBy(F.window("sold_at", "1 day", startTime="1 hour")).agg(
        F.count("*").alias("sales"), F.sum("cents").alias("cents")
    )
    return days.select(F.to_date("window.start").alias("day"), "sales", "cents")


def wrong_zero_for_vouchers(sales: DataFrame) -> DataFrame:
    """A day of vouchers alone has the sum 0 (coalesce)."""
    days = _by_day(sales.withColumn("local", F.from_utc_timestamp("sold_at", "Europe/Berlin")))
    return days.withColumn("cents", F.coalesce("cents", F.lit(0)))


def wrong_vouchers_left_out(sales: DataFrame) -> DataFrame:
    """Vouchers are left out in front of the count."""
    timed = sales.withColumn("local", F.from_utc_timestamp("sold_at", "Europe/Berlin"))
    return _by_day(timed.where(F.col("cents").isNotNull()))
