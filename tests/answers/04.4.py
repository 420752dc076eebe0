"""Answers to 04.4, money that is missing in the evening."""

from pyspark.sql import DataFrame
from pyspark.sql import functions as F


def right_window_in_a_column(sales: DataFrame) -> DataFrame:
    """Makes the window in a column before the grouping, and names the minute from its end less a minute."""
    return (
        sales.withWatermark("sold_at", "20 seconds")
        .withColumn("w", F.window("sold_at", "1 minute"))
        .groupBy("w", "till")
        .agg(F.sum("cents").cast("decimal(20,0)").alias("cents"))
        .select("till", "cents", (F.col("w.end") - F.expr("INTERVAL 1 MINUTE")).alias("minute"))
    )


def wrong_twenty_seconds_below_the_minute(sales: DataFrame) -> DataFrame:
    """Adds up twenty seconds first, and of these the minute.

    A sale further behind is dropped when its twenty seconds have closed, although its minute is open.
    """
    twenties = (
        sales.withWatermark("sold_at", "20 seconds")
        .groupBy(F.window("sold_at", "20 seconds"), "till")
        .agg(F.sum("cents").alias("cents"))
    )
    minutes = twenties.groupBy(F.window("window", "1 minute"), "till").agg(
        F.sum("cents").alias("cents")
    )
    return minutes.select(F.col("window.start").alias("minute"), "till", "cents")


def right_own_column_for_the_time(sales: DataFrame) -> DataFrame:
    """A renamed time bears the watermark; the minute is a time without a zone (the session's is UTC)."""
    counted = (
        sales.select("till", "cents", F.col("sold_at").alias("at"))
        .withWatermark("at", "20000 milliseconds")
        .groupBy(F.window("at", "1 minute", "1 minute", "0 seconds").alias("m"), "till")
        .agg({"cents": "sum"})
    )
    return counted.select(
        F.to_timestamp_ntz(F.date_format("m.start", "yyyy-MM-dd HH:mm:ss")).alias("minute"),
        "till",
        F.col("sum(cents)").alias("cents"),
    )


def wrong_grouped_by_the_start(sales: DataFrame) -> DataFrame:
    """Groups by the start of the window, not by the window.

    Spark refuses, as the start is a plain timestamp.
    """
    minute = F.window("sold_at", "1 minute").start
    return (
        sales.withWatermark("sold_at", "20 seconds")
        .groupBy(minute.alias("minute"), "till")
        .agg(F.sum("cents").alias("cents"))
    )


def wrong_no_minute_in_the_key(sales: DataFrame) -> DataFrame:
    """Groups by the till alone, and takes the greatest minute.

    Spark refuses.
    """
    return (
        sales.withWatermark("sold_at", "20 seconds")
        .groupBy("till")
        .agg(
            F.max(F.date_trunc("minute", "sold_at")).alias("minute"), F.sum("cents").alias("cents")
        )
        .select("minute", "till", "cents")
    )


def _minutes_of(sales: DataFrame, delay: str) -> DataFrame:
    late = sales.withWatermark("sold_at", delay).groupBy(F.window("sold_at", "1 minute"), "till")
    return late.agg(F.sum("cents").alias("cents"))


def wrong_twenty_minutes(sales: DataFrame) -> DataFrame:
    """Twenty minutes."""
    return _minutes_of(sales, "20 minutes").selectExpr("window.start AS minute", "till", "cents")


def wrong_minutes_as_text(sales: DataFrame) -> DataFrame:
    """Minutes as text."""
    minute = F.date_format("window.start", "HH:mm").alias("minute")
    return _minutes_of(sales, "20 seconds").select(minute, "till", "cents")


def wrong_tills_without_a_name_left_out(sales: DataFrame) -> DataFrame:
    """Tills without a name left out."""
    named = sales.where(F.col("till").isNotNull())
    return _minutes_of(named, "20 seconds").selectExpr("window.start AS minute", "till", "cents")
