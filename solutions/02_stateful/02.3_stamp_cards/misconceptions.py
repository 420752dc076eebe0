"""Ways in which a count is lost, or made twice, when a query is killed."""

from collections import Counter
from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.streaming.readwriter import DataStreamWriter

SCHEMA = "order_id STRING, customer STRING, amount DOUBLE"


def _orders(
    spark: SparkSession, kafka: Any, starting: str = "earliest", **options: int
) -> DataFrame:
    raw = (
        spark.readStream.format("kafka")
        .option("kafka.bootstrap.servers", kafka.bootstrap_servers)
        .option("subscribe", kafka.topic("orders"))
        .option("startingOffsets", starting)
        .option("kafka.fetch.max.wait.ms", 10)
        .options(**options)
        .load()
    )
    return raw.select(F.from_json(F.col("value").cast("string"), SCHEMA).alias("o")).select("o.*")


def _records(counts: DataFrame) -> DataFrame:
    return counts.select(
        F.col("customer").alias("key"), F.to_json(F.struct("customer", "orders")).alias("value")
    )


def _counted(orders: DataFrame) -> DataFrame:
    return orders.groupBy("customer").agg(F.count("*").alias("orders"))


def _to_kafka(counts: DataFrame, kafka: Any, mode: str) -> DataStreamWriter:
    return (
        _records(counts)
        .writeStream.format("kafka")
        .option("kafka.bootstrap.servers", kafka.bootstrap_servers)
        .option("topic", kafka.topic("cards"))
        .outputMode(mode)
    )


def _save(counts: DataFrame, kafka: Any) -> None:
    sink = _records(counts).write.format("kafka").option("topic", kafka.topic("cards"))
    sink.option("kafka.bootstrap.servers", kafka.bootstrap_servers).save()


def counts_in_a_dict(spark: SparkSession, kafka: Any) -> DataStreamWriter:
    """Counts in process memory

    After the kill the counts start again from zero, while the offsets continue. What held your
    counts did not survive: a Python dict, for example, ends with its process. Spark keeps its state
    next to the offsets, so both come back together. Which operator keeps such state?
    """
    cards: Counter[str] = Counter()

    def write(batch: DataFrame, _batch_id: int) -> None:
        new = Counter(row.customer for row in batch.collect())
        cards.update(new)
        told = [(customer, cards[customer]) for customer in new]
        if told:
            _save(batch.sparkSession.createDataFrame(told, "customer STRING, orders LONG"), kafka)

    return _orders(spark, kafka).writeStream.foreachBatch(write)


def adds_to_what_it_wrote(spark: SparkSession, kafka: Any) -> DataStreamWriter:
    """Restarted micro-batch counted twice

    The micro-batch was written before the kill, was not committed, ran again, and was added a
    second time. The output topic, or a file of your own, does not go back with the checkpoint.
    Spark's state does. Where do your counts live?
    """

    def write(batch: DataFrame, _batch_id: int) -> None:
        told = (
            batch.sparkSession.read.format("kafka")
            .option("kafka.bootstrap.servers", kafka.bootstrap_servers)
            .option("subscribe", kafka.topic("cards"))
            .load()
            .select(
                F.from_json(F.col("value").cast("string"), "customer STRING, orders LONG").alias(
                    "c"
                )
            )
            .select("c.*")
        )
        # counts only grow, so the last one told is the greatest
        before = told.groupBy("customer").agg(F.max("orders").alias("known"))
        new = _counted(batch).join(before, "customer", "left")
        _save(new.withColumn("orders", F.col("orders") + F.coalesce("known", F.lit(0))), kafka)

    return _orders(spark, kafka).writeStream.foreachBatch(write)


def counts_each_batch_alone(spark: SparkSession, kafka: Any) -> DataStreamWriter:
    """Aggregation of one micro-batch only

    The counts of earlier steps are missing in later ones. In foreachBatch the DataFrame is a table
    with the rows of one micro-batch. Neither a groupBy nor a variable inside it keeps anything.
    What do you group, the stream or the micro-batch?
    """

    def write(batch: DataFrame, _batch_id: int) -> None:
        _save(_counted(batch), kafka)

    return _orders(spark, kafka).writeStream.foreachBatch(write)


def starts_at_the_latest(spark: SparkSession, kafka: Any) -> DataStreamWriter:
    """Start at the end of the topic

    The orders of step 1 are in no count. Without startingOffsets, or with "latest", a new query
    begins at the end of the topic. The option counts for the first start only; afterward the
    checkpoint decides. Which value reads from the beginning?
    """
    return _to_kafka(_counted(_orders(spark, kafka, "latest")), kafka, "update")


def tells_every_card_each_time(spark: SparkSession, kafka: Any) -> DataStreamWriter:
    """Complete mode instead of update mode

    Your query wrote cards of customers without a new order. Complete mode writes the whole result
    in every micro-batch. With a million customers that is a million records for one order. Which
    output mode writes only the rows that received new input?
    """
    return _to_kafka(_counted(_orders(spark, kafka)), kafka, "complete")


def key_left_out(spark: SparkSession, kafka: Any) -> DataStreamWriter:
    """Record key not written

    The counts are right, and every key is null. Readers keep the newest card of each customer by
    the key. Which column does the Kafka sink use as the key?
    """
    cards = _counted(_orders(spark, kafka))
    return (
        cards.select(F.to_json(F.struct("customer", "orders")).alias("value"))
        .writeStream.format("kafka")
        .option("kafka.bootstrap.servers", kafka.bootstrap_servers)
        .option("topic", kafka.topic("cards"))
        .outputMode("update")
    )


def orders_taken_for_copies(spark: SparkSession, kafka: Any) -> DataStreamWriter:
    """Orders without an id deduplicated

    Of the two orders of ben without an order_id only one was counted. Both ids are null, and they
    are two orders. The task has no duplicates among the orders; only a record in `cards` can be
    written twice. Which operator drops the second order?
    """
    orders = _orders(spark, kafka).dropDuplicates(["order_id"])
    return _to_kafka(_counted(orders), kafka, "update")


def one_order_at_a_time(spark: SparkSession, kafka: Any) -> DataStreamWriter:
    """Several micro-batches in one step

    In step 1 your query wrote two cards for ana, with 1 and with 2 orders; one card is expected. The option
    maxOffsetsPerTrigger splits a step into several micro-batches, and each of them emits. Which limit does
    your source set?
    """
    return _to_kafka(_counted(_orders(spark, kafka, maxOffsetsPerTrigger=1)), kafka, "update")


def customer_in_lower_case(spark: SparkSession, kafka: Any) -> DataStreamWriter:
    """Customer name changed before the count

    In step 3 the card of Dora has the key dora. Your query counts a changed name, so two customers
    whose names differ only in a capital letter share a card. The key is the customer as in the
    order. Which function changes the name?
    """
    orders = _orders(spark, kafka).withColumn("customer", F.lower("customer"))
    return _to_kafka(_counted(orders), kafka, "update")
