"""Other right ways to bill every order at the price of its own time."""

from typing import Any

from pyspark.sql import DataFrame, SparkSession, Window
from pyspark.sql import functions as F
from pyspark.sql.streaming.readwriter import DataStreamWriter

SCHEMA = "priced_item STRING, price DOUBLE, since TIMESTAMP"


def _prices(spark: SparkSession, kafka: Any) -> DataFrame:
    records = (
        spark.read.format("kafka")
        .option("kafka.bootstrap.servers", kafka.bootstrap_servers)
        .option("subscribe", kafka.topic("prices"))
        .option("kafka.fetch.max.wait.ms", 10)
        .load()
    )
    price = F.from_json(F.col("value").cast("string"), SCHEMA)
    return records.select(price.alias("p")).select("p.*")


def topic_read_anew_by_itself(
    spark: SparkSession, orders: DataFrame, kafka: Any
) -> DataStreamWriter:
    """Leaves the cache away: Spark asks the topic for its records with every micro-batch."""
    next_one = F.lead("since").over(Window.partitionBy("priced_item").orderBy("since"))
    prices = _prices(spark, kafka).withColumn("until", next_one)
    valid = "item = priced_item AND since <= order_time AND (until IS NULL OR order_time < until)"
    billed = orders.join(prices, F.expr(valid), "left")
    value = F.to_json(
        F.struct("order_id", (F.col("quantity") * F.col("price")).alias("amount")),
        {"ignoreNullFields": "false"},
    )
    return (
        billed.select(F.col("order_id").alias("key"), value.alias("value"))
        .writeStream.format("kafka")
        .option("kafka.bootstrap.servers", kafka.bootstrap_servers)
        .option("topic", kafka.topic("bills"))
    )


def newest_that_had_begun(spark: SparkSession, orders: DataFrame, kafka: Any) -> DataStreamWriter:
    """In each micro-batch, of all prices that had begun by an order's time, the one that began last."""

    def write(batch: DataFrame, _batch_id: int) -> None:
        prices = _prices(batch.sparkSession, kafka)
        begun = F.expr("item = priced_item AND since <= order_time")
        billed = (
            batch.withColumn("nth", F.monotonically_increasing_id())  # an order may have no id
            .join(prices, begun, "left")
            .groupBy("nth", "order_id", "quantity")
            .agg(F.max_by("price", "since").alias("price"))
            .withColumn("amount", F.col("quantity") * F.col("price"))
        )
        value = F.to_json(F.struct("order_id", "amount"), {"ignoreNullFields": "false"})
        sink = billed.select(F.col("order_id").alias("key"), value.alias("value")).write
        sink = sink.format("kafka").option("topic", kafka.topic("bills"))
        sink.option("kafka.bootstrap.servers", kafka.bootstrap_servers).save()

    return orders.writeStream.foreachBatch(write)
