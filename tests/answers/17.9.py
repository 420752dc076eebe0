"""Answers to 17.9: other ways to bill at the price of now, right and wrong."""

from typing import Any

from delta.tables import DeltaTable
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F


def _table(spark: SparkSession, prices: str) -> DataFrame:
    return spark.read.format("delta").load(prices)


def _billed(orders: DataFrame, prices: DataFrame, how: str = "left") -> DataFrame:
    amount = (F.col("quantity") * F.col("cents")).alias("amount")
    return orders.join(prices, "item", how).select("order_id", "item", amount)


def right_spark_table(spark: SparkSession, orders: DataFrame, prices: str) -> DataFrame:
    """The table by its path, with spark.table"""
    return _billed(orders, spark.table(f"delta.`{prices}`"))


def right_view_on_the_table(spark: SparkSession, orders: DataFrame, prices: str) -> DataFrame:
    """A temporary view of the table, and SQL over it"""
    _table(spark, prices).createOrReplaceTempView("price_list")
    orders.createOrReplaceTempView("incoming")
    return spark.sql(
        "SELECT order_id, i.item, CAST(quantity AS BIGINT) * cents AS amount "
        "FROM incoming i LEFT OUTER JOIN price_list USING (item)"
    )


def right_one_price_per_item(spark: SparkSession, orders: DataFrame, prices: str) -> DataFrame:
    """Aggregates the static side first, which has one row for each item anyway"""
    current = _table(spark, prices).groupBy("item").agg(F.max("cents").alias("cents"))
    return _billed(orders, current)


def right_projected_before_the_join(
    spark: SparkSession, orders: DataFrame, prices: str
) -> DataFrame:
    """Columns renamed, a filter on the static side before the join, and a hint"""
    current = _table(spark, prices).where("cents IS NOT NULL").withColumnRenamed("item", "what")
    joined = orders.join(current.hint("broadcast"), orders.item == F.col("what"), "leftouter")
    return joined.select("order_id", "item", F.expr("quantity * cents").alias("amount"))


def right_with_delta_table(spark: SparkSession, orders: DataFrame, prices: str) -> DataFrame:
    """DeltaTable.forPath, whose toDF is asked once"""
    return _billed(orders, DeltaTable.forPath(spark, prices).toDF())


def right_lateral_subquery(spark: SparkSession, orders: DataFrame, prices: str) -> DataFrame:
    """A scalar subquery with an aggregate, which Spark turns into a left join"""
    orders.createOrReplaceTempView("incoming")
    return spark.sql(
        "SELECT order_id, item, quantity * "
        f"(SELECT max(cents) FROM delta.`{prices}` p WHERE p.item = i.item) AS amount FROM incoming i"
    )


def wrong_version_zero(spark: SparkSession, orders: DataFrame, prices: str) -> DataFrame:
    """versionAsOf 0, to have a fixed version"""
    first = spark.read.format("delta").option("versionAsOf", 0).load(prices)
    return _billed(orders, first)


def wrong_pandas(spark: SparkSession, orders: DataFrame, prices: str) -> DataFrame:
    """A dict of all prices, and a Python function"""
    known = {row["item"]: row["cents"] for row in _table(spark, prices).toLocalIterator()}

    @F.udf("bigint")
    def amount(item: str | None, quantity: int) -> Any:
        price = known.get(item or "")
        return None if price is None else price * quantity

    return orders.select("order_id", "item", amount("item", "quantity").alias("amount"))


def wrong_local_checkpoint(spark: SparkSession, orders: DataFrame, prices: str) -> DataFrame:
    """localCheckpoint of the table, "for speed" """
    return _billed(orders, _table(spark, prices).localCheckpoint())


def wrong_lazy_local_checkpoint(spark: SparkSession, orders: DataFrame, prices: str) -> DataFrame:
    """localCheckpoint that is made by the first micro-batch"""
    return _billed(orders, _table(spark, prices).localCheckpoint(eager=False))


def wrong_persisted_on_disk(spark: SparkSession, orders: DataFrame, prices: str) -> DataFrame:
    """persist, and a projection after it"""
    from pyspark import StorageLevel

    kept = _table(spark, prices).persist(StorageLevel.DISK_ONLY)
    return _billed(orders, kept.select("item", "cents"))


def wrong_cached_table_of_sql(spark: SparkSession, orders: DataFrame, prices: str) -> DataFrame:
    """CACHE TABLE in SQL"""
    spark.sql(f"CACHE TABLE price_list AS SELECT * FROM delta.`{prices}`")
    return _billed(orders, spark.table("price_list"))


def wrong_parquet_files(spark: SparkSession, orders: DataFrame, prices: str) -> DataFrame:
    """The folder read as Parquet: "a Delta table is Parquet files" """
    files = spark.read.schema("item STRING, cents BIGINT").parquet(prices)
    return _billed(orders, files)


def wrong_changes_of_all_versions(spark: SparkSession, orders: DataFrame, prices: str) -> DataFrame:
    """The change feed as a batch: each price that the item had"""
    feed = spark.read.format("delta").option("readChangeFeed", True).option("startingVersion", 0)
    return _billed(orders, feed.load(prices))


def wrong_left_join_of_streams(spark: SparkSession, orders: DataFrame, prices: str) -> DataFrame:
    """A left join with the change feed as a stream, without a watermark"""
    feed = spark.readStream.format("delta").option("readChangeFeed", True).load(prices)
    return _billed(orders, feed)


def wrong_filter_after_the_join(spark: SparkSession, orders: DataFrame, prices: str) -> DataFrame:
    """A condition on the price after the left join drops the orders without one"""
    return _billed(orders, _table(spark, prices)).where("amount >= 0")


def wrong_full_join(spark: SparkSession, orders: DataFrame, prices: str) -> DataFrame:
    """A full join, "so that nothing is lost" """
    return _billed(orders, _table(spark, prices), "full")
