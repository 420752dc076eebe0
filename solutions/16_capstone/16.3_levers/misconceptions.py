"""Settings that are chosen without the numbers, or not at all."""

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
    """Defaults for all settings

    Your query has {facts.stores} state stores on the JVM heap, and a micro-batch read all {facts.batch} clicks
    at once. That works as long as nothing happens. Which settings does the task name?
    """
    return _read(spark, kafka, None)


def a_store_for_each_core(spark: SparkSession, kafka: Any) -> DataFrame:
    """State stores larger than 200 MB

    {facts.stores} state stores keep all cores busy, but each has 225 MB, and the task allows 200 MB. The number
    is pinned at the first start, so the expected state counts as much as the cores. How many multiples of the
    cores do you need?
    """
    return _turned(spark, kafka, partitions=int(spark.conf.get("shop.cores") or 1))


def one_store_over(spark: SparkSession, kafka: Any) -> DataFrame:
    """Number of state stores that is not a multiple of the cores

    {facts.stores} state stores are small enough. On 4 cores they take two rounds, and in the second round only
    one core has work. Eight would take no longer. How do you round up to a multiple of the cores?
    """
    megabytes = float(spark.conf.get("shop.stateMegabytes") or 0)
    return _turned(spark, kafka, partitions=math.ceil(megabytes / 200))


def figures_of_the_check(spark: SparkSession, kafka: Any) -> DataFrame:
    """Numbers of the check written into the code

    With the first settings all is right. With the other settings there are again {facts.stores} state stores,
    and the largest micro-batch has {facts.batch} clicks, as before. From which settings can the function
    calculate both?
    """
    return _turned(spark, kafka, partitions=8, most=12)


def all_that_is_there(spark: SparkSession, kafka: Any) -> DataFrame:
    """No limit for a micro-batch

    The largest micro-batch read {facts.batch} clicks. A micro-batch with an hour of clicks takes minutes, and
    emits nothing before it ends. The Kafka reader has an option for a limit. If you set one: is its name right,
    since Spark silently ignores unknown options? And does its value use the 5 seconds of the trigger?
    """
    return _turned(spark, kafka, most=None)


def what_one_core_can(spark: SparkSession, kafka: Any) -> DataFrame:
    """Limit too small for all cores

    The largest micro-batch read {facts.batch} clicks. All cores together process more than that in 5 seconds,
    so after a stop the query catches up more slowly than it could, or never. Does your limit use one core, or
    only one second?
    """
    rate = float(spark.conf.get("shop.clicksPerCore") or 0)
    return _turned(spark, kafka, most=int(5 * rate))


def what_a_second_brings(spark: SparkSession, kafka: Any) -> DataFrame:
    """Limit for one second

    The largest micro-batch read {facts.batch} clicks, which is what the cores process in one second. How often
    does a micro-batch begin?
    """
    cores = int(spark.conf.get("shop.cores") or 1)
    rate = float(spark.conf.get("shop.clicksPerCore") or 0)
    return _turned(spark, kafka, most=int(cores * rate))


def a_key_without_its_end(spark: SparkSession, kafka: Any) -> DataFrame:
    """Changelogs not enabled

    State stores and micro-batches are right, but the commits wrote {facts.no_snapshots} snapshots of whole
    stores, and the micro-batch waits for them. Changelogs are off by default. If you enabled them: is the key
    complete, since Spark silently accepts a key that nothing reads?
    """
    return _turned(spark, kafka, changelogs=CHANGELOGS.removesuffix(".enabled"))


def on_the_heap(spark: SparkSession, kafka: Any) -> DataFrame:
    """HDFS-backed state store without changelogs

    The checkpoint has no changelog. The state is in the default state store, on the JVM heap, which never
    writes changelogs. Which setting selects RocksDB?
    """
    return _turned(spark, kafka, provider=None)


def begins_at_the_end(spark: SparkSession, kafka: Any) -> DataFrame:
    """Stream that begins at the end of the topic

    The state stores and the limit are right, but the clicks of step 1 are not counted. They were in the topic
    before the query started, and it began after them. Which value does `startingOffsets` need?
    """
    return _turned(spark, kafka, start="latest")
