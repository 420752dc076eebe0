"""Bills with the price of another time, or with none, or two for one order."""

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
    """The prices of the first micro-batch hold for ever

    From step 2 on bills show what was the price in step 1, and an item that got its price later has
    none. The list was read with the first micro-batch and kept. What would make Spark read it again?
    """
    prices = _prices(spark, kafka).cache()
    return _stream(orders.join(prices, F.expr(_VALID), "left"), kafka)


def read_before_the_start(spark: SparkSession, orders: DataFrame, kafka: Any) -> DataStreamWriter:
    """No bill has an amount

    No order met a price. When your function is called the topic holds none yet: what is read then,
    once, stays empty, and something else is called for every micro-batch. If the prices are read
    there, the condition of the join lets none of them through.
    """
    kept = _prices(spark, kafka)
    prices = spark.createDataFrame(kept.collect(), kept.schema)
    return _stream(orders.join(prices, F.expr(_VALID), "left"), kafka)


def newest_price_for_all(spark: SparkSession, orders: DataFrame, kafka: Any) -> DataStreamWriter:
    """Every order pays the newest price

    An order of 10:59:59 was billed at the price that holds since 11:00, and one of 12:00 at a price that
    is only announced for 14:00. The list is read anew, which is right; but the time of an order
    decides what it pays, not the moment when it is worked on.
    """
    newest = "item = priced_item AND until IS NULL"
    return _each_batch(orders, kafka, lambda o, p: o.join(p, F.expr(newest), "left"))


def every_price_since(spark: SparkSession, orders: DataFrame, kafka: Any) -> DataStreamWriter:
    """One order, two bills

    Orders of tea from 11:00 on were billed twice, at the old price and at the new one. The old price
    began before them as well, and in your query it still held. What is it that ends a price?
    """
    return _each_batch(orders, kafka, lambda o, p: o.join(p, F.expr(_SINCE), "left"))


def no_price_no_bill(spark: SparkSession, orders: DataFrame, kafka: Any) -> DataStreamWriter:
    """An order without a price gets no bill

    The pens of step 2 had no price, and their order is missing. The task wants a bill for every
    order; one without a price has no amount.
    """
    return _each_batch(orders, kafka, lambda o, p: o.join(p, F.expr(_VALID)))
