"""Answers to 02.3, stamp cards that survive a kill."""

import json
import re
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.streaming.readwriter import DataStreamWriter
from pyspark.sql.streaming.state import GroupState, GroupStateTimeout

SCHEMA = "order_id STRING, customer STRING, amount DOUBLE"


def _raw(spark: SparkSession, kafka: Any) -> Any:
    return (
        spark.readStream.format("kafka")
        .option("kafka.bootstrap.servers", kafka.bootstrap_servers)
        .option("subscribe", kafka.topic("orders"))
        .option("startingOffsets", "earliest")
        .option("kafka.fetch.max.wait.ms", 10)
    )


def _parsed(raw: DataFrame) -> DataFrame:
    order = F.from_json(F.col("value").cast("string"), SCHEMA).alias("o")
    return raw.select(order, "timestamp", "partition", "offset").select(
        "o.*", "timestamp", "partition", "offset"
    )


def _orders(spark: SparkSession, kafka: Any) -> DataFrame:
    return _parsed(_raw(spark, kafka).load())


def _counted(orders: DataFrame) -> DataFrame:
    return orders.groupBy("customer").agg(F.count("*").alias("orders"))


def _records(counts: DataFrame) -> DataFrame:
    return counts.select(
        F.col("customer").alias("key"), F.to_json(F.struct("customer", "orders")).alias("value")
    )


def _to_kafka(records: DataFrame, kafka: Any, mode: str = "update") -> DataStreamWriter:
    return (
        records.writeStream.format("kafka")
        .option("kafka.bootstrap.servers", kafka.bootstrap_servers)
        .option("topic", kafka.topic("cards"))
        .outputMode(mode)
    )


def _save(counts: DataFrame, kafka: Any) -> None:
    sink = _records(counts).write.format("kafka").option("topic", kafka.topic("cards"))
    sink.option("kafka.bootstrap.servers", kafka.bootstrap_servers).save()


def _tell(batch: DataFrame, told: list, kafka: Any) -> None:
    if told:
        _save(batch.sparkSession.createDataFrame(told, "customer STRING, orders LONG"), kafka)


def _store(kafka: Any) -> Path:
    """A folder that belongs to this run alone: named after its output topic."""
    folder = Path(tempfile.gettempdir(), f"cand-{kafka.topic('cards')}")
    folder.mkdir(exist_ok=True)
    return folder


def right_subscribes_by_pattern(spark: SparkSession, kafka: Any) -> DataStreamWriter:
    """Subscribes by a pattern, starts by a time long ago, writes the JSON by hand, key as bytes."""
    raw = (
        spark.readStream.format("kafka")
        .option("kafka.bootstrap.servers", kafka.bootstrap_servers)
        .option("subscribePattern", re.escape(kafka.topic("orders")))
        .option("startingTimestamp", "0")
        .load()
    )
    customer = F.get_json_object(F.col("value").cast("string"), "$.customer").alias("customer")
    counted = raw.select(customer).groupBy("customer").count()
    value = F.format_string('{"orders": %d, "customer": "%s"}', F.col("count"), F.col("customer"))
    records = counted.select(F.col("customer").cast("binary").alias("key"), value.alias("value"))
    return _to_kafka(records, kafka)


def right_sets_what_the_check_sets(spark: SparkSession, kafka: Any) -> DataStreamWriter:
    """Gives the query a name, a trigger and a checkpoint, too; the check sets its own instead."""
    return (
        _to_kafka(_records(_counted(_orders(spark, kafka))), kafka)
        .queryName("stamp_cards")
        .trigger(processingTime="5 seconds")
        .option("checkpointLocation", "/tmp/cand-not-used")
    )


def right_asks_whether_the_batch_is_empty(spark: SparkSession, kafka: Any) -> DataStreamWriter:
    """Counts on the stream; foreachBatch asks isEmpty() before it writes the whole batch

    The lesson warns of a look that is not followed by a pass through the whole batch; here one follows.
    """

    def write(batch: DataFrame, _batch_id: int) -> None:
        if not batch.isEmpty():
            _save(batch, kafka)

    return _counted(_orders(spark, kafka)).writeStream.outputMode("update").foreachBatch(write)


def right_persists_and_looks(spark: SparkSession, kafka: Any) -> DataStreamWriter:
    """As the lesson advises: persist, write all, look at it, unpersist."""

    def write(batch: DataFrame, _batch_id: int) -> None:
        batch.persist()
        _save(batch, kafka)
        batch.first()
        batch.unpersist()

    return _counted(_orders(spark, kafka)).writeStream.outputMode("update").foreachBatch(write)


def right_state_of_its_own(spark: SparkSession, kafka: Any) -> DataStreamWriter:
    """Counts by applyInPandasWithState: another operator, the same checkpoint."""

    def count(key: Any, chunks: Iterator[pd.DataFrame], state: GroupState) -> Iterator[Any]:
        (before,) = state.get if state.exists else (0,)
        after = before + sum(len(chunk) for chunk in chunks)
        state.update((after,))
        yield pd.DataFrame({"customer": [key[0]], "orders": [after]})

    counted = (
        _orders(spark, kafka)
        .groupBy("customer")
        .applyInPandasWithState(
            count,
            "customer STRING, orders LONG",
            "orders LONG",
            "update",
            GroupStateTimeout.NoTimeout,
        )
    )
    return _to_kafka(_records(counted), kafka)


def right_files_by_batch_number(spark: SparkSession, kafka: Any) -> DataStreamWriter:
    """Keeps the counts after each batch in a file of that batch's number, and goes on from the one before

    A batch that runs again begins with the same file as before: nothing lost, nothing counted twice. The
    folder is named after the run's own topic, so that two plays do not meet.
    """

    def write(batch: DataFrame, batch_id: int) -> None:
        folder = _store(kafka)
        before = folder / f"{batch_id - 1}.json"
        counts = Counter(json.loads(before.read_text()) if before.exists() else {})
        new = Counter(row.customer for row in batch.collect())
        counts.update(new)
        (folder / f"{batch_id}.json").write_text(json.dumps(counts))
        _tell(batch, [(customer, counts[customer]) for customer in new], kafka)

    return _orders(spark, kafka).writeStream.foreachBatch(write)


def right_counts_the_topic_up_to_the_batch(spark: SparkSession, kafka: Any) -> DataStreamWriter:
    """Keeps nothing: each batch counts the topic anew, up to its own last offset (one partition)."""

    def write(batch: DataFrame, _batch_id: int) -> None:
        last = batch.agg(F.max("offset")).first()[0]
        if last is None:
            return
        everything = (
            batch.sparkSession.read.format("kafka")
            .option("kafka.bootstrap.servers", kafka.bootstrap_servers)
            .option("subscribe", kafka.topic("orders"))
            .load()
        )
        so_far = _counted(_parsed(everything).where(F.col("offset") <= last))
        _save(so_far.join(batch.select("customer").distinct(), "customer"), kafka)

    return _orders(spark, kafka).writeStream.foreachBatch(write)


def right_copies_by_offset_left_out(spark: SparkSession, kafka: Any) -> DataStreamWriter:
    """Drops records that were read twice by partition and offset: there are none, so it changes nothing."""
    once = _orders(spark, kafka).dropDuplicates(["partition", "offset"])
    return _to_kafka(_records(_counted(once)), kafka)


def wrong_new_dict_in_every_batch(spark: SparkSession, kafka: Any) -> DataStreamWriter:
    """Makes the dict inside of write, so each batch counts from nothing

    Orders so far are asked for; shows in step 2 (ana 1).
    """

    def write(batch: DataFrame, _batch_id: int) -> None:
        stamps: dict[str, int] = {}
        for order in batch.collect():
            stamps[order.customer] = stamps.get(order.customer, 0) + 1
        _tell(batch, list(stamps.items()), kafka)

    return _orders(spark, kafka).writeStream.foreachBatch(write)


def wrong_adds_in_a_file(spark: SparkSession, kafka: Any) -> DataStreamWriter:
    """Keeps the counts in one file and adds each batch to it

    The batch that runs again is counted twice; shows after the kill in step 2 (ana 4).
    """

    def write(batch: DataFrame, _batch_id: int) -> None:
        file = _store(kafka) / "counts.json"
        counts = Counter(json.loads(file.read_text()) if file.exists() else {})
        new = Counter(row.customer for row in batch.collect())
        counts.update(new)
        file.write_text(json.dumps(counts))
        _tell(batch, [(customer, counts[customer]) for customer in new], kafka)

    return _orders(spark, kafka).writeStream.foreachBatch(write)


def wrong_new_counts_every_day(spark: SparkSession, kafka: Any) -> DataStreamWriter:
    """Counts by customer and day of arrival (Kafka's timestamp), and leaves the day out of the record

    "The number of orders so far" begins anew at midnight.
    """
    counted = (
        _orders(spark, kafka)
        .groupBy("customer", F.window("timestamp", "1 day"))
        .agg(F.count("*").alias("orders"))
    )
    return _to_kafka(_records(counted), kafka)


def wrong_forgets_after_a_month(spark: SparkSession, kafka: Any) -> DataStreamWriter:
    """Bounds the state: counts by customer and windows of 30 days of arrival, with a watermark

    The lesson's advice on state that grows, where the task asks for all orders so far.
    """
    counted = (
        _orders(spark, kafka)
        .withWatermark("timestamp", "1 day")
        .groupBy("customer", F.window("timestamp", "30 days"))
        .agg(F.count("*").alias("orders"))
    )
    return _to_kafka(_records(counted), kafka)


def wrong_append_with_a_window(spark: SparkSession, kafka: Any) -> DataStreamWriter:
    """Makes append mode possible by a watermark and a window of a day on the time of arrival

    A record comes only when the day is over; nothing comes in any step.
    """
    counted = (
        _orders(spark, kafka)
        .withWatermark("timestamp", "1 minute")
        .groupBy("customer", F.window("timestamp", "1 day"))
        .agg(F.count("*").alias("orders"))
    )
    return _to_kafka(_records(counted), kafka, "append")


def wrong_orders_without_nulls(spark: SparkSession, kafka: Any) -> DataStreamWriter:
    """Leaves out orders in which anything is null

    An order without number and amount is one; shows in step 4 only (ben 2, not 4).
    """
    return _to_kafka(_records(_counted(_orders(spark, kafka).dropna())), kafka)


def wrong_distinct_numbers(spark: SparkSession, kafka: Any) -> DataStreamWriter:
    """Counts distinct order numbers

    Two orders without a number are two; shows in step 4 only.
    """
    counted = (
        _orders(spark, kafka)
        .groupBy("customer")
        .agg(F.size(F.collect_set("order_id")).alias("orders"))
    )
    return _to_kafka(_records(counted), kafka)


def wrong_dict_and_no_key(spark: SparkSession, kafka: Any) -> DataStreamWriter:
    """Two mistakes: the dict of the lesson stays, and the key is left out

    Every record lacks its key; the first play shows it.
    """
    stamps: Counter[str] = Counter()

    def write(batch: DataFrame, _batch_id: int) -> None:
        new = Counter(row.customer for row in batch.collect())
        stamps.update(new)
        told = [(customer, stamps[customer]) for customer in new]
        if told:
            cards = batch.sparkSession.createDataFrame(told, "customer STRING, orders LONG")
            sink = _records(cards).select("value").write.format("kafka")
            sink.option("topic", kafka.topic("cards")).option(
                "kafka.bootstrap.servers", kafka.bootstrap_servers
            ).save()

    return _orders(spark, kafka).writeStream.foreachBatch(write)


def wrong_whole_dict_each_time(spark: SparkSession, kafka: Any) -> DataStreamWriter:
    """Keeps files by batch number, and tells all cards with every batch

    Only customers whose number changed are asked for; shows in step 2 (ben again).
    """

    def write(batch: DataFrame, batch_id: int) -> None:
        folder = _store(kafka)
        before = folder / f"{batch_id - 1}.json"
        counts = Counter(json.loads(before.read_text()) if before.exists() else {})
        counts.update(row.customer for row in batch.collect())
        (folder / f"{batch_id}.json").write_text(json.dumps(counts))
        _tell(batch, list(counts.items()), kafka)

    return _orders(spark, kafka).writeStream.foreachBatch(write)


# what is made in one play and still there in the next
_KEPT = tempfile.TemporaryDirectory(prefix="cand-")
_FOLDER = Path(_KEPT.name)


def _stamped(spark: SparkSession, kafka: Any, path: Path) -> DataStreamWriter:
    """The counts of a query that keeps them in a file."""
    orders = (
        spark.readStream.format("kafka")
        .option("kafka.bootstrap.servers", kafka.bootstrap_servers)
        .option("subscribe", kafka.topic("orders"))
        .option("startingOffsets", "earliest")
        .load()
        .select(F.from_json(F.col("value").cast("string"), "customer STRING").alias("o"))
    )

    def write(batch: DataFrame, _id: int) -> None:
        cards = json.loads(path.read_text()) if path.exists() else {}
        rows = [row.customer for row in batch.select("o.customer").collect()]
        cards |= {customer: cards.get(customer, 0) + rows.count(customer) for customer in rows}
        path.write_text(json.dumps(cards))
        told = [(c, json.dumps({"customer": c, "orders": cards[c]})) for c in set(rows)]
        if told:
            sink = batch.sparkSession.createDataFrame(told, "key STRING, value STRING").write
            sink = sink.format("kafka").option("topic", kafka.topic("cards"))
            sink.option("kafka.bootstrap.servers", kafka.bootstrap_servers).save()

    return orders.writeStream.foreachBatch(write)


def wrong_counts_in_a_file_that_stays(spark: SparkSession, kafka: Any) -> DataStreamWriter:
    """Counts in a file that stays."""
    return _stamped(spark, kafka, _FOLDER / "cards.json")


def wrong_counts_in_a_file_of_its_own(spark: SparkSession, kafka: Any) -> DataStreamWriter:
    """Counts in a file of its own."""
    return _stamped(spark, kafka, _FOLDER / kafka.topic("cards"))


def right_json_tuple(spark: SparkSession, kafka: Any) -> DataStreamWriter:
    """json_tuple for the customer, positions for names, a named struct in SQL, the key as bytes."""
    raw = _raw(spark, kafka).load()
    customers = raw.select(F.json_tuple(F.col("value").cast("string"), "customer"))
    counted = customers.toDF("customer").groupBy("customer").agg(F.sum(F.lit(1)).alias("orders"))
    records = counted.selectExpr(
        "encode(customer, 'UTF-8') AS key",
        "to_json(named_struct('orders', orders, 'customer', customer)) AS value",
    )
    return _to_kafka(records, kafka)


def wrong_refilled_from_the_cards(spark: SparkSession, kafka: Any) -> DataStreamWriter:
    """A dict as before, which a new process first fills from what it finds in the topic cards

    What the killed batch wrote is found there and added to once more: ana 4 after the kill in step 2.
    """
    stamps: Counter[str] = Counter()
    filled = False

    def write(batch: DataFrame, batch_id: int) -> None:
        nonlocal filled
        if not filled:
            source = batch.sparkSession.read.format("kafka").option(
                "subscribe", kafka.topic("cards")
            )
            source = source.option("kafka.bootstrap.servers", kafka.bootstrap_servers)
            for record in source.load().select("value").collect():
                card = json.loads(bytes(record.value))
                stamps[card["customer"]] = max(stamps[card["customer"]], card["orders"])
            filled = True
        new = Counter(row.customer for row in batch.collect())
        stamps.update(new)
        _tell(batch, [(customer, stamps[customer]) for customer in new], kafka)

    return _orders(spark, kafka).writeStream.foreachBatch(write)


def wrong_hundred_cards_at_most(spark: SparkSession, kafka: Any) -> DataStreamWriter:
    """Counts on the stream, and tells what take(100) brings

    With more than a hundred customers in a step the others are not told (and stores that nobody asked are
    not written).
    """

    def write(batch: DataFrame, batch_id: int) -> None:
        told = [(row["customer"], row["orders"]) for row in batch.take(100)]
        _tell(batch, told, kafka)

    counted = _counted(_orders(spark, kafka))
    return counted.writeStream.outputMode("update").foreachBatch(write)
