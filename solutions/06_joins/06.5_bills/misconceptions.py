"""Bills with a wrong price, without a price, or two for one order."""

from collections.abc import Callable
from typing import Any

from pyspark.sql import DataFrame, SparkSession, Window
from pyspark.sql import functions as F
from pyspark.sql.streaming.readwriter import DataStreamWriter

_SINCE = "item = priced_item AND since <= order_time"
_VALID = f"{_SINCE} AND (until IS NULL OR order_time < until)"


def _prices(spark: SparkSession, kafka: Any) -> DataFrame:
    records = (
        spark.read.format("kafka")
        .option("kafka.bootstrap.servers", kafka.bootstrap_servers)
        .option("subscribe", kafka.topic("prices"))
        .option("kafka.fetch.max.wait.ms", 10)
        .load()
    )
    price = F.from_json(
        F.col("value").cast("string"), "priced_item STRING, price DOUBLE, since TIMESTAMP"
    )
    prices = records.select(price.alias("p")).select("p.*")
    next_one = F.lead("since").over(Window.partitionBy("priced_item").orderBy("since"))
    return prices.withColumn("until", next_one)


def _records(joined: DataFrame) -> DataFrame:
    billed = joined.withColumn("amount", F.col("quantity") * F.col("price"))
    value = F.to_json(F.struct("order_id", "amount"), {"ignoreNullFields": "false"})
    return billed.select(F.col("order_id").alias("key"), value.alias("value"))


def _stream(joined: DataFrame, kafka: Any) -> DataStreamWriter:
    return (
        _records(joined)
        .writeStream.format("kafka")
        .option("kafka.bootstrap.servers", kafka.bootstrap_servers)
        .option("topic", kafka.topic("bills"))
    )


def _each_batch(
    orders: DataFrame, kafka: Any, bill: Callable[[DataFrame, DataFrame], DataFrame]
) -> DataStreamWriter:
    def write(batch: DataFrame, _batch_id: int) -> None:
        prices = _prices(batch.sparkSession, kafka)
        sink = _records(bill(batch, prices)).write.format("kafka")
        sink = sink.option("kafka.bootstrap.servers", kafka.bootstrap_servers)
        sink.option("topic", kafka.topic("bills")).save()

    return orders.writeStream.foreachBatch(write)


def still_kept(spark: SparkSession, orders: DataFrame, kafka: Any) -> DataStreamWriter:
    """Prices of the first micro-batch kept forever

    From step 2 on, bills show the price of step 1, and an item that got its price later has none.
    Spark read the list in the first micro-batch and kept it. What would make Spark read the list
    again?
    """
    prices = _prices(spark, kafka).cache()
    return _stream(orders.join(prices, F.expr(_VALID), "left"), kafka)


def read_before_the_start(spark: SparkSession, orders: DataFrame, kafka: Any) -> DataStreamWriter:
    """No bill with an amount

    No order met a price. When your function is called, the topic holds no price yet, and a list
    that is read once stays empty. Which part of your code runs for every micro-batch? If the prices
    are read there, does the condition of the join accept any of them?
    """
    kept = _prices(spark, kafka)
    prices = spark.createDataFrame(kept.collect(), kept.schema)
    return _stream(orders.join(prices, F.expr(_VALID), "left"), kafka)


def newest_price_for_all(spark: SparkSession, orders: DataFrame, kafka: Any) -> DataStreamWriter:
    """Newest price for every order

    An order of 10:59:59 was billed at the price that is valid since 11:00. An order of 12:00 was
    billed at a price that is only announced for 14:00. You read the list again, which is right.
    Which time decides the price: that of the order, or that of the micro-batch?
    """
    newest = "item = priced_item AND until IS NULL"
    return _each_batch(orders, kafka, lambda o, p: o.join(p, F.expr(newest), "left"))


def every_price_since(spark: SparkSession, orders: DataFrame, kafka: Any) -> DataStreamWriter:
    """Two bills for one order

    Orders of tea from 11:00 on were billed twice, at the old price and at the new one. The old
    price began before them as well, and in your query it was still valid. What ends a price?
    """
    return _each_batch(orders, kafka, lambda o, p: o.join(p, F.expr(_SINCE), "left"))


def no_price_no_bill(spark: SparkSession, orders: DataFrame, kafka: Any) -> DataStreamWriter:
    """No bill for an order without a price

    The pens of step 2 had no price, and their order is missing. Every order needs a bill, and an
    order without a price has a null amount. Which kind of join keeps an order without a partner?
    """
    return _each_batch(orders, kafka, lambda o, p: o.join(p, F.expr(_VALID)))


def zero_in_place_of_null(spark: SparkSession, orders: DataFrame, kafka: Any) -> DataStreamWriter:
    """An amount of 0 in place of null

    The order of pens in step 2 had no price, and its bill says 0. An unknown amount is not an amount of
    0: the task requires null. Which `coalesce`, `fillna` or default value in your query makes the 0?
    """

    def bill(batch: DataFrame, prices: DataFrame) -> DataFrame:
        joined = batch.join(prices, F.expr(_VALID), "left")
        return joined.fillna({"quantity": 0, "price": 0.0})

    return _each_batch(orders, kafka, bill)


def no_bill_without_an_id(spark: SparkSession, orders: DataFrame, kafka: Any) -> DataStreamWriter:
    """No bill for an order without an id

    Two bills with a null id are missing in step 4, and all others are right. Every order needs a bill.
    Which filter or `dropna` in your query removes orders without an id?
    """
    named = orders.where("order_id IS NOT NULL")
    return _each_batch(named, kafka, lambda o, p: o.join(p, F.expr(_VALID), "left"))


def one_bill_for_each_id(spark: SparkSession, orders: DataFrame, kafka: Any) -> DataStreamWriter:
    """One bill for all orders without an id

    Step 4 has two orders without an id, and your query wrote one bill for them. A null does not
    identify an order, so two nulls are two orders. Which grouping or deduplication in your query uses
    `order_id` as its key?
    """

    def bill(batch: DataFrame, prices: DataFrame) -> DataFrame:
        return batch.join(prices, F.expr(_VALID), "left").dropDuplicates(["order_id"])

    return _each_batch(orders, kafka, bill)
