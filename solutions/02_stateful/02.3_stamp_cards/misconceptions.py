"""Ways in which a count is lost, or made twice, when a query is killed."""

from collections import Counter
from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.streaming.readwriter import DataStreamWriter

SCHEMA = "order_id STRING, customer STRING, amount DOUBLE"


def _orders(spark: SparkSession, kafka: Any, starting: str = "earliest") -> DataFrame:
    raw = (
        spark.readStream.format("kafka")
        .option("kafka.bootstrap.servers", kafka.bootstrap_servers)
        .option("subscribe", kafka.topic("orders"))
        .option("startingOffsets", starting)
        .option("kafka.fetch.max.wait.ms", 10)
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
    """The counts are gone after the kill

    After the kill the counts begin again at nothing, while the offsets go on. What held them did
    not come back: a Python dict, for one, lives as long as its process. What does Spark write
    beside the offsets, so that both come back together?
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
    """The batch that ran twice is counted twice

    The batch was written before the kill, was not committed, ran again, and found its own orders
    counted already. Whatever you add to by yourself, the output topic or a store of your own,
    does not go back with the checkpoint; Spark's state does.
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
    """Every micro-batch is counted by itself

    The counts of earlier steps are missing from the later ones. Inside foreachBatch the DataFrame
    is an ordinary table with the rows of one micro-batch: neither a groupBy there nor a variable
    made there remembers anything. Group the stream itself, and Spark keeps the counts.
    """

    def write(batch: DataFrame, _batch_id: int) -> None:
        _save(_counted(batch), kafka)

    return _orders(spark, kafka).writeStream.foreachBatch(write)


def starts_at_the_latest(spark: SparkSession, kafka: Any) -> DataStreamWriter:
    """Orders from before the first start are never read

    The orders of step 1 are in no count. Without startingOffsets (or with "latest") a new query
    begins where the topic ends at that moment. The setting counts for the very first start only;
    afterwards the checkpoint rules.
    """
    return _to_kafka(_counted(_orders(spark, kafka, "latest")), kafka, "update")


def tells_every_card_each_time(spark: SparkSession, kafka: Any) -> DataStreamWriter:
    """All the cards are told again and again

    Customers without a new order were told again. Complete mode writes the whole result with
    every micro-batch, changed or not. With a million customers that is a million records for one
    order. Which mode tells the changes?
    """
    return _to_kafka(_counted(_orders(spark, kafka)), kafka, "complete")


def key_left_out(spark: SparkSession, kafka: Any) -> DataStreamWriter:
    """Records without their key

    The counts are right, and every key is null. The value alone does not say to Kafka whose record
    it is: the key does, and by it a reader keeps the newest card of each customer. The column has
    to be called `key`.
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
    """Two orders taken for one

    Of the two orders of ben without a number only one was counted. Copies are taken out here, and
    two orders that look alike, both without a number, are not copies. The task says nothing of
    copies among the orders; what may arrive twice is a record in `cards`.
    """
    orders = _orders(spark, kafka).dropDuplicates(["order_id"])
    return _to_kafka(_counted(orders), kafka, "update")
