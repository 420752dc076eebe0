"""Answers to 17.10: other repairs of the backfill, right and wrong."""

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F


def _rows(spark: SparkSession, sales: str, **options: object) -> DataFrame:
    reader = spark.readStream.format("delta")
    for name, value in options.items():
        reader = reader.option(name, str(value))
    return reader.load(sales)


def _days(rows: DataFrame) -> DataFrame:
    days = rows.groupBy(F.window("sold_at", "1 day")).agg(
        F.count("*").alias("sales"), F.sum("cents").alias("cents")
    )
    return days.select(F.col("window.start").alias("day"), "sales", "cents")


def right_in_seconds(spark: SparkSession, sales: str) -> DataFrame:
    """The delay in seconds, and no option"""
    return _days(_rows(spark, sales).withWatermark("sold_at", "172800 seconds"))


def right_skips_changes(spark: SparkSession, sales: str) -> DataFrame:
    """skipChangeCommits, which does no harm to a table that only grows"""
    rows = _rows(spark, sales, skipChangeCommits=True, maxBytesPerTrigger="1k")
    return _days(rows.withWatermark("sold_at", "2 days"))


def right_from_an_early_time(spark: SparkSession, sales: str) -> DataFrame:
    """startingTimestamp before every commit"""
    rows = _rows(spark, sales, startingTimestamp="2020-01-01")
    return _days(rows.withWatermark("sold_at", "1 day 24 hours"))


def right_tumbles_from_sums_of_one(spark: SparkSession, sales: str) -> DataFrame:
    """Selects the columns first, and counts with a sum of ones"""
    timed = _rows(spark, sales).withWatermark("sold_at", "2 days").select("sold_at", "cents")
    days = timed.groupBy(F.window("sold_at", "1 day", "1 day").alias("d")).agg(
        F.sum(F.lit(1)).alias("sales"), F.sum(F.coalesce("cents", F.lit(0))).alias("cents")
    )
    return days.selectExpr("d.start AS day", "sales", "cents")


def wrong_draft(spark: SparkSession, sales: str) -> DataFrame:
    """The draft as it is"""
    rows = _rows(
        spark, sales, startingVersion="latest", maxFilesPerTrigger=1, withEventTimeOrder=True
    )
    return _days(rows.withWatermark("sold_at", "10 minutes"))


def wrong_sorted_by_the_option(spark: SparkSession, sales: str) -> DataFrame:
    """Reads everything, and believes in withEventTimeOrder"""
    rows = _rows(spark, sales, withEventTimeOrder=True)
    return _days(rows.withWatermark("sold_at", "1 hour"))


def wrong_one_large_batch(spark: SparkSession, sales: str) -> DataFrame:
    """maxFilesPerTrigger removed, and the delay kept: each run has one commit"""
    return _days(_rows(spark, sales).withWatermark("sold_at", "10 minutes"))


def wrong_a_second_too_little(spark: SparkSession, sales: str) -> DataFrame:
    """2 days without a second"""
    return _days(_rows(spark, sales).withWatermark("sold_at", "172799 seconds"))


def wrong_three_days(spark: SparkSession, sales: str) -> DataFrame:
    """3 days: the delay and the length of the window"""
    return _days(_rows(spark, sales).withWatermark("sold_at", "3 days"))


def wrong_zero_delay(spark: SparkSession, sales: str) -> DataFrame:
    """No delay"""
    return _days(_rows(spark, sales).withWatermark("sold_at", "0 seconds"))


def wrong_no_watermark(spark: SparkSession, sales: str) -> DataFrame:
    """The delay was wrong, so the line is gone"""
    return _days(_rows(spark, sales))


def wrong_date_as_key(spark: SparkSession, sales: str) -> DataFrame:
    """Grouped by date_trunc, which has no end for Spark"""
    timed = _rows(spark, sales).withWatermark("sold_at", "2 days")
    days = timed.groupBy(F.date_trunc("day", "sold_at").alias("day"))
    return days.agg(F.count("*").alias("sales"), F.sum("cents").alias("cents"))


def wrong_watermark_after_the_counts(spark: SparkSession, sales: str) -> DataFrame:
    """The watermark on the result"""
    return _days(_rows(spark, sales)).withWatermark("day", "2 days")


def wrong_starts_at_version_two(spark: SparkSession, sales: str) -> DataFrame:
    """startingVersion 2, "after the test data" """
    rows = _rows(spark, sales, startingVersion=2)
    return _days(rows.withWatermark("sold_at", "2 days"))


def wrong_cents_counted(spark: SparkSession, sales: str) -> DataFrame:
    """Counts the column cents"""
    timed = _rows(spark, sales).withWatermark("sold_at", "2 days")
    days = timed.groupBy(F.window("sold_at", "1 day")).agg(
        F.count("cents").alias("sales"), F.sum("cents").alias("cents")
    )
    return days.select(F.col("window.start").alias("day"), "sales", "cents")


def wrong_end_of_the_day(spark: SparkSession, sales: str) -> DataFrame:
    """The end of the window as the day"""
    timed = _rows(spark, sales).withWatermark("sold_at", "2 days")
    days = timed.groupBy(F.window("sold_at", "1 day")).agg(
        F.count("*").alias("sales"), F.sum("cents").alias("cents")
    )
    return days.select(F.col("window.end").alias("day"), "sales", "cents")


def wrong_per_store(spark: SparkSession, sales: str) -> DataFrame:
    """Grouped by store, too"""
    timed = _rows(spark, sales).withWatermark("sold_at", "2 days")
    days = timed.groupBy(F.window("sold_at", "1 day"), "store").agg(
        F.count("*").alias("sales"), F.sum("cents").alias("cents")
    )
    return days.select(F.col("window.start").alias("day"), "sales", "cents")


def wrong_change_feed(spark: SparkSession, sales: str) -> DataFrame:
    """The change feed of a table that has none"""
    rows = _rows(spark, sales, readChangeFeed=True)
    return _days(rows.withWatermark("sold_at", "2 days"))
