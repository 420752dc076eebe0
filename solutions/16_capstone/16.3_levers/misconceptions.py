"""Levers that were turned without the figures, or not at all."""

import math
from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

STATE = "spark.sql.streaming.stateStore."
PROVIDER = "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"
CHANGELOGS = STATE + "rocksdb.changelogCheckpointing.enabled"


def _counts(records: DataFrame) -> DataFrame:
    return (
        records.select(F.col("key").cast("string").alias("page"), "timestamp")
        .withWatermark("timestamp", "5 seconds")
        .groupBy("page", F.window("timestamp", "5 seconds"))
        .agg(F.count("*").alias("clicks"))
        .select("page", F.col("window.start").alias("start"), "clicks")
    )


def _read(spark: SparkSession, kafka: Any, most: int | None, start: str = "earliest") -> DataFrame:
    reader = (
        spark.readStream.format("kafka")
        .option("kafka.bootstrap.servers", kafka.bootstrap_servers)
        .option("subscribe", kafka.topic("clicks"))
        .option("startingOffsets", start)
        .option("kafka.fetch.max.wait.ms", 10)
    )
    return _counts((reader if most is None else reader.option("maxOffsetsPerTrigger", most)).load())


def _turned(
    spark: SparkSession,
    kafka: Any,
    partitions: int | None = 8,
    most: int | None = 12,
    changelogs: str = CHANGELOGS,
    provider: str | None = PROVIDER,
    start: str = "earliest",
) -> DataFrame:
    if partitions is not None:
        spark.conf.set("spark.sql.shuffle.partitions", str(partitions))
    if provider is not None:
        spark.conf.set(STATE + "providerClass", provider)
    spark.conf.set(changelogs, "true")
    return _read(spark, kafka, most, start)


def as_it_comes(spark: SparkSession, kafka: Any) -> DataFrame:
    """No lever was turned

    {facts.stores} stores on the Java heap, and a batch that took in all {facts.batch} clicks at once. It works, for as long
    as nothing happens.
    """
    return _read(spark, kafka, None)


def a_store_for_each_core(spark: SparkSession, kafka: Any) -> DataFrame:
    """Stores that are too large

    {facts.stores} stores keep all cores busy, and each has 225 MB where 200 are the most. The number is pinned at the
    first start, so the state decides as much as the cores.
    """
    return _turned(spark, kafka, partitions=int(spark.conf.get("shop.cores") or 1))


def one_store_over(spark: SparkSession, kafka: Any) -> DataFrame:
    """A number that the cores do not divide

    {facts.stores} stores are small enough. On four cores they take two rounds, and in the second only one core has work:
    eight would take no longer.
    """
    megabytes = float(spark.conf.get("shop.stateMegabytes") or 0)
    return _turned(spark, kafka, partitions=math.ceil(megabytes / 200))


def figures_of_the_check(spark: SparkSession, kafka: Any) -> DataFrame:
    """The figures are written down

    With the first figures all is right. With the others there are {facts.stores} stores again, and the largest batch took
    {facts.batch} clicks, as before. The settings say what holds: the function is to work both out from them.
    """
    return _turned(spark, kafka, partitions=8, most=12)


def all_that_is_there(spark: SparkSession, kafka: Any) -> DataFrame:
    """After a stop, one batch takes in everything

    The largest batch took {facts.batch} clicks. A batch of an hour's clicks takes minutes, and nobody is told of
    anything before it ends. The reader has a limit for that. If you have set one, look at its name, as Spark takes any
    option without a word, and at its figure: the trigger's 5 are seconds.
    """
    return _turned(spark, kafka, most=None)


def what_one_core_can(spark: SparkSession, kafka: Any) -> DataFrame:
    """A limit that the cores could exceed

    The largest batch took {facts.batch} clicks, and that is less than all cores do in five seconds: after a stop
    the query catches up more slowly than it could, or never. It is what one core does in that time, or what all do in one
    second, rounded up.
    """
    rate = float(spark.conf.get("shop.clicksPerCore") or 0)
    return _turned(spark, kafka, most=int(5 * rate))


def what_a_second_brings(spark: SparkSession, kafka: Any) -> DataFrame:
    """A limit for one second

    The largest batch took {facts.batch} clicks: that is what the cores do in a second. A batch begins every five.
    """
    cores = int(spark.conf.get("shop.cores") or 1)
    rate = float(spark.conf.get("shop.clicksPerCore") or 0)
    return _turned(spark, kafka, most=int(cores * rate))


def a_key_without_its_end(spark: SparkSession, kafka: Any) -> DataFrame:
    """Snapshots at every commit

    Stores and batches are right, and the commits write {facts.no_snapshots} snapshots of whole stores, for which
    the batch waits. Changelogs are off until a setting turns them on. If you have set one: Spark takes any key
    without a word, also one that nobody reads.
    """
    return _turned(spark, kafka, changelogs=CHANGELOGS.removesuffix(".enabled"))


def on_the_heap(spark: SparkSession, kafka: Any) -> DataFrame:
    """No changelogs on the Java heap

    There is no changelog in the checkpoint: the state is on the Java heap, which has none, whether they are asked
    for or not. They belong to RocksDB, and that is a setting of its own.
    """
    return _turned(spark, kafka, provider=None)


def begins_at_the_end(spark: SparkSession, kafka: Any) -> DataFrame:
    """What was sent before the first start is missing

    The levers are turned as they should be, but the clicks of step 1 are in no count: they were in the topic when the
    query started, and it began behind them. The task reads from the first record on, which is `startingOffsets`.
    """
    return _turned(spark, kafka, start="latest")
