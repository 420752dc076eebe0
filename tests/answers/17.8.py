"""Answers to 17.8: other ways to count orders from a change feed, right and wrong."""

from typing import Any

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F


def _feed(spark: SparkSession, orders: str) -> DataFrame:
    return spark.readStream.format("delta").option("readChangeFeed", True).load(orders)


def _counts(feed: DataFrame, sign: Column) -> DataFrame:
    return feed.groupBy("status").agg(
        F.sum(sign).alias("orders"), F.sum(sign * F.col("cents")).alias("cents")
    )


def right_old_name_of_the_option(spark: SparkSession, orders: str) -> DataFrame:
    """readChangeData, the older name of the option, from version 1 on"""
    feed = spark.readStream.format("delta").option("readChangeData", "true")
    rows = feed.option("startingVersion", 1).load(orders)
    comes = F.col("_change_type").isin("insert", "update_postimage")
    return _counts(rows, F.when(comes, 1).otherwise(-1))


def right_map_of_signs(spark: SparkSession, orders: str) -> DataFrame:
    """A map from the change type to its sign, read with withColumn"""
    signs = {"insert": 1, "update_postimage": 1, "delete": -1, "update_preimage": -1}
    pairs: list[Any] = [F.lit(part) for pair in signs.items() for part in pair]
    signed = _feed(spark, orders).withColumn("sign", F.create_map(*pairs)[F.col("_change_type")])
    return signed.groupBy("status").agg(
        F.sum("sign").alias("orders"), F.expr("sum(sign * cents)").alias("cents")
    )


def right_text_of_the_type(spark: SparkSession, orders: str) -> DataFrame:
    """The sign by pattern: types that end with "pre..." or are delete"""
    gone = F.col("_change_type").like("%preimage") | F.col("_change_type").startswith("del")
    return _counts(_feed(spark, orders), F.when(gone, F.lit(-1)).otherwise(F.lit(1)))


def right_many_files_at_once(spark: SparkSession, orders: str) -> DataFrame:
    """Small micro-batches, and counts of conditions"""
    feed = spark.readStream.format("delta").option("readChangeFeed", True)
    rows = feed.option("maxFilesPerTrigger", 1).load(orders)
    gone = F.col("_change_type").isin("delete", "update_preimage")
    return rows.groupBy("status").agg(
        (F.count_if(~gone) - F.count_if(gone)).alias("orders"),
        F.sum(F.when(gone, -F.col("cents")).otherwise(F.col("cents"))).alias("cents"),
    )


def right_in_python(spark: SparkSession, orders: str) -> DataFrame:
    """A Python function gives the sign"""

    @F.udf("int")
    def sign(kind: str) -> int:
        return 1 if kind in ("insert", "update_postimage") else -1

    signed = _feed(spark, orders).withColumn("sign", sign("_change_type"))
    return _counts(signed, F.col("sign"))


def wrong_batch_of_the_table(spark: SparkSession, orders: str) -> DataFrame:
    """The table read as a batch: right numbers, and no stream"""
    table = spark.read.format("delta").load(orders)
    return table.groupBy("status").agg(F.count("*").alias("orders"), F.sum("cents").alias("cents"))


def wrong_starts_at_version_two(spark: SparkSession, orders: str) -> DataFrame:
    """startingVersion 2, "the first changes" """
    feed = spark.readStream.format("delta").option("readChangeFeed", True)
    gone = F.col("_change_type").isin("delete", "update_preimage")
    return _counts(feed.option("startingVersion", 2).load(orders), F.when(gone, -1).otherwise(1))


def wrong_orders_counted_by_id(spark: SparkSession, orders: str) -> DataFrame:
    """Approximate number of different order ids of each status"""
    return (
        _feed(spark, orders)
        .groupBy("status")
        .agg(F.approx_count_distinct("order_id").alias("orders"), F.sum("cents").alias("cents"))
    )


def wrong_misspelled_type(spark: SparkSession, orders: str) -> DataFrame:
    """update_preimages with an s: pre-images get a plus"""
    gone = F.col("_change_type").isin("delete", "update_preimages")
    return _counts(_feed(spark, orders), F.when(gone, -1).otherwise(1))


def wrong_unknown_status_for_null(spark: SparkSession, orders: str) -> DataFrame:
    """Null replaced by the text "unknown" """
    gone = F.col("_change_type").isin("delete", "update_preimage")
    filled = _feed(spark, orders).fillna("unknown", ["status"])
    return _counts(filled, F.when(gone, -1).otherwise(1))


def wrong_statuses_that_differ_only(spark: SparkSession, orders: str) -> DataFrame:
    """Only the last row of each order and commit: post-images, inserts and deletes"""
    kept = _feed(spark, orders).where("_change_type <> 'update_preimage'")
    once = kept.dropDuplicates(["order_id", "_commit_version"])
    return _counts(once, F.when(F.col("_change_type") == "delete", -1).otherwise(1))


def wrong_negative_hidden(spark: SparkSession, orders: str) -> DataFrame:
    """No minus at all below zero: greatest(sum, 1)"""
    gone = F.col("_change_type").isin("delete", "update_preimage")
    counts = _counts(_feed(spark, orders), F.when(gone, -1).otherwise(1))
    return counts.withColumn("orders", F.greatest("orders", F.lit(1)))


def wrong_each_commit_by_itself(spark: SparkSession, orders: str) -> DataFrame:
    """Grouped by status and commit version"""
    gone = F.col("_change_type").isin("delete", "update_preimage")
    sign = F.when(gone, -1).otherwise(1)
    counts = (
        _feed(spark, orders)
        .groupBy("status", "_commit_version")
        .agg(F.sum(sign).alias("orders"), F.sum(sign * F.col("cents")).alias("cents"))
    )
    return counts.select("status", "orders", "cents")


def wrong_skips_and_counts_inserts(spark: SparkSession, orders: str) -> DataFrame:
    """ignoreChanges and ignoreDeletes, and a deduplication by order"""
    table = spark.readStream.format("delta").option("ignoreChanges", True).load(orders)
    return _counts(table.dropDuplicates(["order_id"]), F.lit(1))
