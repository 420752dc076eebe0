"""Repairs after which the alarm is late, lost, or told too often."""

from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.streaming.readwriter import DataStreamWriter

STATE = "spark.sql.streaming.stateStore."
RIGHT = {
    STATE
    + "providerClass": "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider",
    STATE + "rocksdb.changelogCheckpointing.enabled": "true",
    "spark.sql.shuffle.partitions": "4",
}
CHANGELOG = STATE + "rocksdb.changelogCheckpointing.enabled"


def _settings(spark: SparkSession, **but: str | None) -> None:
    for name, value in RIGHT.items():
        chosen = but.get(name.rsplit(".", 1)[-1], value)
        if chosen is not None:
            spark.conf.set(name, chosen)


def _counts(clicks: DataFrame, delay: str = "2 minutes") -> DataFrame:
    return (
        clicks.withWatermark("event_time", delay)
        .groupBy(F.window("event_time", "1 minute"), "page")
        .agg(F.count("*").alias("clicks"))
    )


def _records(counts: DataFrame) -> DataFrame:
    value = F.struct(F.col("window.start").alias("minute"), "page", "clicks")
    return counts.select(F.col("page").alias("key"), F.to_json(value).alias("value"))


def _to_alarms(counts: DataFrame, kafka: Any, mode: str = "update") -> DataStreamWriter:
    return (
        _records(counts)
        .writeStream.format("kafka")
        .option("kafka.bootstrap.servers", kafka.bootstrap_servers)
        .option("topic", kafka.topic("alarms"))
        .outputMode(mode)
    )


def as_it_was(spark: SparkSession, clicks: DataFrame, kafka: Any) -> DataStreamWriter:
    """The alarm as it was

    The alarms come out steps after their fourth click, {facts.stores} stores are opened for each batch,
    and commits write {facts.no_snapshots} snapshots. None of the three reasons is gone.
    """
    _settings(spark, enabled=None, partitions="24")
    spark.conf.set(STATE + "rocksdb.changelogCheckpointing", "true")
    return _to_alarms(_counts(clicks).where("clicks >= 4"), kafka, "append")


def quick_batches_late_alarms(
    spark: SparkSession, clicks: DataFrame, kafka: Any
) -> DataStreamWriter:
    """Quick batches, and an alarm that is as late as before

    Both settings are right, and each batch is quicker for it. The alarms still come out steps after
    their fourth click: in append mode a row waits for the end of its minute and for two minutes of delay.
    """
    _settings(spark)
    return _to_alarms(_counts(clicks).where("clicks >= 4"), kafka, "append")


def at_once_from_slow_batches(
    spark: SparkSession, clicks: DataFrame, kafka: Any
) -> DataStreamWriter:
    """At once, from batches that are as slow as before

    The alarms come in the step of their click. {facts.stores} stores are still opened and committed in
    each batch, with {facts.no_snapshots} snapshots in all.
    """
    _settings(spark, enabled=None, partitions="24")
    spark.conf.set(STATE + "rocksdb.changelogCheckpointing", "true")
    return _to_alarms(_counts(clicks).where("clicks >= 4"), kafka)


def no_delay(spark: SparkSession, clicks: DataFrame, kafka: Any) -> DataStreamWriter:
    """The delay is gone, and clicks with it

    The rows come sooner, yet not in the step of the fourth click: append mode waits for the end of the minute even
    with no delay. And clicks that may be two minutes late were dropped.
    """
    _settings(spark)
    return _to_alarms(_counts(clicks, "0 seconds").where("clicks >= 4"), kafka, "append")


def all_alarms_each_time(spark: SparkSession, clicks: DataFrame, kafka: Any) -> DataStreamWriter:
    """Every alarm, again and again

    Alarms of minutes long past are told with every batch, and none of them is forgotten. Complete mode
    gives out the whole result each time, and keeps it for that.
    """
    _settings(spark)
    return _to_alarms(_counts(clicks).where("clicks >= 4"), kafka, "complete")


def no_watermark(spark: SparkSession, clicks: DataFrame, kafka: Any) -> DataStreamWriter:
    """Counts that are kept for ever

    The alarms come in time, a click whose minute was closed is counted, and the state only grows. In update mode nothing
    waits for the watermark, but it is what says when a minute may be forgotten.
    """
    _settings(spark)
    counts = clicks.groupBy(F.window("event_time", "1 minute"), "page").agg(
        F.count("*").alias("clicks")
    )
    return _to_alarms(counts.where("clicks >= 4"), kafka)


def exactly_four(spark: SparkSession, clicks: DataFrame, kafka: Any) -> DataStreamWriter:
    """Alarms at four clicks only

    A page that went from below the limit to five in one batch has no alarm, and a fifth click after the fourth has none. A
    batch gives out each count once, as it is in the end; nobody sees the four in between. The limit is four *or more*.
    """
    _settings(spark)
    return _to_alarms(_counts(clicks).where("clicks = 4"), kafka)


def more_than_four(spark: SparkSession, clicks: DataFrame, kafka: Any) -> DataStreamWriter:
    """The fourth click is not enough

    No alarm comes at four clicks. The limit is four *or more*.
    """
    _settings(spark)
    return _to_alarms(_counts(clicks).where("clicks > 4"), kafka)


def each_batch_alone(spark: SparkSession, clicks: DataFrame, kafka: Any) -> DataStreamWriter:
    """Each batch by itself

    Clicks that came in different batches are not added up. Inside foreachBatch a DataFrame is a table with the
    rows of one batch, and a groupBy there remembers nothing of the ones before.
    """
    _settings(spark)

    def write(batch: DataFrame, _batch_id: int) -> None:
        counts = batch.groupBy(F.window("event_time", "1 minute"), "page").agg(
            F.count("*").alias("clicks")
        )
        sink = _records(counts.where("clicks >= 4")).write.format("kafka")
        sink.option("kafka.bootstrap.servers", kafka.bootstrap_servers).option(
            "topic", kafka.topic("alarms")
        ).save()

    return clicks.withWatermark("event_time", "2 minutes").writeStream.foreachBatch(write)


def a_key_without_its_end(spark: SparkSession, clicks: DataFrame, kafka: Any) -> DataStreamWriter:
    """Snapshots at every commit

    Mode and stores are right, and the commits write {facts.no_snapshots} snapshots of whole stores, for which the
    batch waits. Is the key for changelogs right to its last word, and its value true? Spark takes any key without a
    word, also one that nobody reads.
    """
    _settings(spark, enabled=None)
    spark.conf.set(STATE + "rocksdb.changelogCheckpointing", "true")
    return _to_alarms(_counts(clicks).where("clicks >= 4"), kafka)


def stores_beyond_the_cores(spark: SparkSession, clicks: DataFrame, kafka: Any) -> DataStreamWriter:
    """More stores than cores

    Mode and changelogs are right. {facts.stores} stores on four cores wait in line in each batch, to be
    opened and committed with hardly a row in them.
    """
    _settings(spark, partitions="24")
    return _to_alarms(_counts(clicks).where("clicks >= 4"), kafka)
