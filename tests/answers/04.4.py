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


def right_twenty_seconds_below_the_minute(sales: DataFrame) -> DataFrame:
    """Adds up twenty seconds first, and of these the minute.

    Whatever is up to twenty seconds behind finds its twenty seconds open, and they end with the minute, so it comes
    out as early.
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
