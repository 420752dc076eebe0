"""Answers to 06.5: other ways to bill every order at the price of its time, right and wrong."""

import json
from typing import Any

from pyspark.sql import DataFrame, SparkSession, Window
from pyspark.sql import functions as F
from pyspark.sql.streaming.readwriter import DataStreamWriter

_VALID = "item = priced_item AND since <= order_time AND (until IS NULL OR order_time < until)"


def _price_list(spark: SparkSession, kafka: Any) -> DataFrame:
    records = (
        spark.read.format("kafka")
        .option("kafka.bootstrap.servers", kafka.bootstrap_servers)
        .option("subscribe", kafka.topic("prices"))
        .option("kafka.fetch.max.wait.ms", 10)
        .load()
    )
    prices = _prices(records)
    following = Window.partitionBy("priced_item").orderBy("since")
    return prices.withColumn("until", F.lead("since").over(following))


def _prices(records: DataFrame) -> DataFrame:
    schema = "priced_item STRING, price DOUBLE, since TIMESTAMP"
    price = F.from_json(F.col("value").cast("string"), schema)
    return records.select(price.alias("p")).select("p.*")


def _as_bills(joined: DataFrame) -> DataFrame:
    amount = (F.col("quantity") * F.col("price")).alias("amount")
    value = F.to_json(F.struct("order_id", amount), {"ignoreNullFields": "false"})
    return joined.select(F.col("order_id").alias("key"), value.alias("value"))


def _send(records: DataFrame, kafka: Any) -> None:
    (
        records.write.format("kafka")
        .option("kafka.bootstrap.servers", kafka.bootstrap_servers)
        .option("topic", kafka.topic("bills"))
        .save()
    )


def right_list_made_outside(spark: SparkSession, orders: DataFrame, kafka: Any) -> DataStreamWriter:
    """Makes the list once, without cache, and joins it in every micro-batch; with a trigger of its own

    Nothing is read when the list is made; every write plans it anew and asks the topic again. The check's trigger takes the place of
    the one set here.
    """
    prices = _price_list(spark, kafka)

    def write(batch: DataFrame, batch_id: int) -> None:
        _send(_as_bills(batch.join(F.broadcast(prices), F.expr(_VALID), "left_outer")), kafka)

    return (
        orders.writeStream.outputMode("append")
        .trigger(processingTime="1 second")
        .foreachBatch(write)
    )


def right_kept_for_one_batch(
    spark: SparkSession, orders: DataFrame, kafka: Any
) -> DataStreamWriter:
    """Caches the list inside the micro-batch, and lets go of it when the batch is written

    Each batch reads a list of its own.
    """

    def write(batch: DataFrame, batch_id: int) -> None:
        prices = _price_list(batch.sparkSession, kafka).cache()
        try:
            _send(_as_bills(batch.join(prices, F.expr(_VALID), "left")), kafka)
        finally:
            prices.unpersist()

    return orders.writeStream.foreachBatch(write)


def right_in_sql(spark: SparkSession, orders: DataFrame, kafka: Any) -> DataStreamWriter:
    """In SQL over two views, from the price's side, with a right join

    The views are those of the batch's session.
    """

    def write(batch: DataFrame, batch_id: int) -> None:
        batch.createOrReplaceTempView("batch_orders")
        _price_list(batch.sparkSession, kafka).createOrReplaceTempView("batch_prices")
        billed = batch.sparkSession.sql(
            """
            SELECT o.order_id, o.quantity, p.price
            FROM batch_prices p RIGHT JOIN batch_orders o
              ON o.item = p.priced_item AND p.since <= o.order_time
             AND o.order_time < coalesce(p.until, TIMESTAMP '9999-12-31 00:00:00')
            """
        )
        _send(_as_bills(billed), kafka)

    return orders.writeStream.foreachBatch(write)


def right_on_the_driver(spark: SparkSession, orders: DataFrame, kafka: Any) -> DataStreamWriter:
    """Collects prices and orders of the micro-batch and looks the price up in Python

    A batch without orders writes nothing.
    """

    def amount_of(order: Any, prices: list[Any]) -> float | None:
        if order.item is None or order.quantity is None or order.order_time is None:
            return None
        begun = [p for p in prices if p.priced_item == order.item and p.since <= order.order_time]
        return order.quantity * max(begun, key=lambda p: p.since).price if begun else None

    def write(batch: DataFrame, batch_id: int) -> None:
        prices = _price_list(batch.sparkSession, kafka).collect()
        bills = [
            (o.order_id, json.dumps({"order_id": o.order_id, "amount": amount_of(o, prices)}))
            for o in batch.collect()
        ]
        if bills:
            _send(batch.sparkSession.createDataFrame(bills, "key STRING, value STRING"), kafka)

    return orders.writeStream.foreachBatch(write)


def wrong_one_row_an_id(spark: SparkSession, orders: DataFrame, kafka: Any) -> DataStreamWriter:
    """Of all prices that had begun takes the newest for each order_id

    Two orders without an id in one micro-batch become one (an id may be null: step 4 has one).
    """

    def write(batch: DataFrame, batch_id: int) -> None:
        begun = F.expr("item = priced_item AND since <= order_time")
        newest = F.row_number().over(
            Window.partitionBy("order_id").orderBy(F.col("since").desc_nulls_last())
        )
        joined = batch.join(_price_list(batch.sparkSession, kafka), begun, "left")
        _send(_as_bills(joined.withColumn("n", newest).where("n = 1")), kafka)

    return orders.writeStream.foreachBatch(write)


def wrong_one_bill_a_key(spark: SparkSession, orders: DataFrame, kafka: Any) -> DataStreamWriter:
    """Joins as is right, and then drops duplicates of the key in each micro-batch

    Of two orders without an id one gets no bill.
    """

    def write(batch: DataFrame, batch_id: int) -> None:
        joined = batch.join(_price_list(batch.sparkSession, kafka), F.expr(_VALID), "left")
        _send(_as_bills(joined).dropDuplicates(["key"]), kafka)

    return orders.writeStream.foreachBatch(write)


def wrong_a_day_as_in_the_lesson(
    spark: SparkSession, orders: DataFrame, kafka: Any
) -> DataStreamWriter:
    """The lesson's condition, unadapted: a price holds for 24 hours

    Orders of tea from 11:00 on meet both prices.
    """
    day = F.expr(
        "item = priced_item AND order_time >= since AND order_time < since + INTERVAL 24 HOURS"
    )

    def write(batch: DataFrame, batch_id: int) -> None:
        _send(_as_bills(batch.join(_price_list(batch.sparkSession, kafka), day, "left")), kafka)

    return orders.writeStream.foreachBatch(write)


def wrong_prices_as_a_stream(
    spark: SparkSession, orders: DataFrame, kafka: Any
) -> DataStreamWriter:
    """The lesson's second cure: prices are a stream, and every price that has begun is met

    Nothing ends a price, and an order that meets none has no bill.
    """
    records = (
        spark.readStream.format("kafka")
        .option("kafka.bootstrap.servers", kafka.bootstrap_servers)
        .option("subscribe", kafka.topic("prices"))
        .option("startingOffsets", "earliest")
        .option("kafka.fetch.max.wait.ms", 10)
        .load()
    )
    prices = _prices(records).withWatermark("since", "1 hour")
    joined = orders.withWatermark("order_time", "1 hour").join(
        prices, F.expr("item = priced_item AND since <= order_time")
    )
    return (
        _as_bills(joined)
        .writeStream.format("kafka")
        .option("kafka.bootstrap.servers", kafka.bootstrap_servers)
        .option("topic", kafka.topic("bills"))
    )
