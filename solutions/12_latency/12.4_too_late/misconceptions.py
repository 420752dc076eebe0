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
    """Alert query left as it was

    The alerts are emitted steps after the fourth click, each batch opens {facts.stores} stores,
    and the commits write {facts.no_snapshots} snapshots. All three faults are still there. Which
    of them delays an alert by minutes?
    """
    _settings(spark, enabled=None, partitions="24")
    spark.conf.set(STATE + "rocksdb.changelogCheckpointing", "true")
    return _to_alarms(_counts(clicks).where("clicks >= 4"), kafka, "append")


def quick_batches_late_alarms(
    spark: SparkSession, clicks: DataFrame, kafka: Any
) -> DataStreamWriter:
    """Append mode with faster batches

    Both settings are right, and each batch is faster. The alerts are still emitted steps after
    the fourth click. In append mode a row waits for the end of its minute and for two minutes of
    delay. Which mode emits a count as soon as it has changed?
    """
    _settings(spark)
    return _to_alarms(_counts(clicks).where("clicks >= 4"), kafka, "append")


def at_once_from_slow_batches(
    spark: SparkSession, clicks: DataFrame, kafka: Any
) -> DataStreamWriter:
    """Update mode with slow batches

    The alerts are emitted in the step of their click. Each batch still opens and commits
    {facts.stores} stores, with {facts.no_snapshots} snapshots in total. Which two settings are
    left to repair?
    """
    _settings(spark, enabled=None, partitions="24")
    spark.conf.set(STATE + "rocksdb.changelogCheckpointing", "true")
    return _to_alarms(_counts(clicks).where("clicks >= 4"), kafka)


def no_delay(spark: SparkSession, clicks: DataFrame, kafka: Any) -> DataStreamWriter:
    """Watermark delay removed

    Some rows are emitted earlier, but not in the step of the fourth click. Append mode waits for
    the end of the minute even without a delay. And clicks that may be two minutes late were
    dropped. Which mode does not wait?
    """
    _settings(spark)
    return _to_alarms(_counts(clicks, "0 seconds").where("clicks >= 4"), kafka, "append")


def all_alarms_each_time(spark: SparkSession, clicks: DataFrame, kafka: Any) -> DataStreamWriter:
    """Complete mode instead of update mode

    Every batch emits all alerts again, and no state is evicted. Complete mode emits the whole
    result each time and keeps it. Which mode emits only what changed?
    """
    _settings(spark)
    return _to_alarms(_counts(clicks).where("clicks >= 4"), kafka, "complete")


def no_watermark(spark: SparkSession, clicks: DataFrame, kafka: Any) -> DataStreamWriter:
    """No watermark in update mode

    The alerts are in time, but a click of a closed minute was counted, and the state only grows.
    In update mode no row waits for the watermark, but the watermark still evicts the state of
    closed minutes. Which line is missing?
    """
    _settings(spark)
    counts = clicks.groupBy(F.window("event_time", "1 minute"), "page").agg(
        F.count("*").alias("clicks")
    )
    return _to_alarms(counts.where("clicks >= 4"), kafka)


def exactly_four(spark: SparkSession, clicks: DataFrame, kafka: Any) -> DataStreamWriter:
    """Alerts at exactly four clicks

    A page that went from below four to five clicks in one batch has no alert, and neither has a
    fifth click after the fourth. A batch emits each count once, with its last value. What does
    *four or more* mean as a condition?
    """
    _settings(spark)
    return _to_alarms(_counts(clicks).where("clicks = 4"), kafka)


def more_than_four(spark: SparkSession, clicks: DataFrame, kafka: Any) -> DataStreamWriter:
    """Alerts from five clicks on

    Four clicks give no alert. The task says four *or more*. Which comparison includes four?
    """
    _settings(spark)
    return _to_alarms(_counts(clicks).where("clicks > 4"), kafka)


def each_batch_alone(spark: SparkSession, clicks: DataFrame, kafka: Any) -> DataStreamWriter:
    """Count within a single batch

    Clicks of different batches are not added up. Inside foreachBatch a DataFrame has the rows of
    one batch only, and its groupBy has no state. Where does the count have to be?
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
    """No changelogs in RocksDB

    Mode, provider and number of stores are right, but no commit wrote a changelog:
    {facts.no_snapshots} snapshots of whole stores instead. So the setting for changelogs is
    missing, or its key is not exact, or its value is not true. Spark accepts a wrong key
    silently. What is the full key in lesson 11?
    """
    _settings(spark, enabled=None)
    spark.conf.set(STATE + "rocksdb.changelogCheckpointing", "true")
    return _to_alarms(_counts(clicks).where("clicks >= 4"), kafka)


def stores_beyond_the_cores(spark: SparkSession, clicks: DataFrame, kafka: Any) -> DataStreamWriter:
    """More stores than cores

    Mode and changelogs are right. Each batch opens and commits {facts.stores} stores on four
    cores, with hardly a row in them. Which setting gives the number of stores?
    """
    _settings(spark, partitions="24")
    return _to_alarms(_counts(clicks).where("clicks >= 4"), kafka)


def back_to_the_heap(spark: SparkSession, clicks: DataFrame, kafka: Any) -> DataStreamWriter:
    """Default provider instead of RocksDB

    Mode and number of stores are right. The checkpoint has neither changelogs nor snapshots of
    RocksDB, because the state is in the default provider, on the JVM heap. Which setting chooses
    the provider?
    """
    _settings(spark, providerClass=None)
    return _to_alarms(_counts(clicks).where("clicks >= 4"), kafka)


def a_single_store(spark: SparkSession, clicks: DataFrame, kafka: Any) -> DataStreamWriter:
    """Number of stores below the number of cores

    Mode and changelogs are right. There is {facts.stores} store; four are required. With a single
    store one core does all the work. Which setting gives the number of stores?
    """
    _settings(spark, partitions="1")
    return _to_alarms(_counts(clicks).where("clicks >= 4"), kafka)


def a_delay_of_two_seconds(spark: SparkSession, clicks: DataFrame, kafka: Any) -> DataStreamWriter:
    """Watermark delay of seconds

    After step 1 the watermark was {steps.1.delay} behind the newest click; {asked.steps.1.delay}
    are required. Clicks that may be two minutes late were dropped. Why does update mode need no
    shorter delay for an alert in time?
    """
    _settings(spark)
    return _to_alarms(_counts(clicks, "2 seconds").where("clicks >= 4"), kafka)


def one_alert_per_batch(spark: SparkSession, clicks: DataFrame, kafka: Any) -> DataStreamWriter:
    """One alert per batch

    Two pages reached four clicks in one step, and only one of them has an alert. Every page with four
    or more clicks needs one. Where does your query keep a single row of a batch?
    """
    _settings(spark)

    def write(batch: DataFrame, _batch_id: int) -> None:
        sink = _records(batch.orderBy(F.desc("clicks")).limit(1)).write.format("kafka")
        sink.option("kafka.bootstrap.servers", kafka.bootstrap_servers).option(
            "topic", kafka.topic("alarms")
        ).save()

    counts = _counts(clicks).where("clicks >= 4")
    return counts.writeStream.outputMode("update").foreachBatch(write)
