"""Wrong ways to bound the memory of state stores."""

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

STATE = "spark.sql.streaming.stateStore."
ROCKSDB = STATE + "rocksdb."
PROVIDER = "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"


def _count(clicks: DataFrame, delay: str = "10 seconds") -> DataFrame:
    return (
        clicks.withWatermark("event_time", delay)
        .groupBy(F.window("event_time", "1 minute"), "page")
        .agg(F.count("*").alias("clicks"))
    )


def _configure(spark: SparkSession, **but: str | None) -> None:
    settings = {
        "spark.sql.shuffle.partitions": "10",
        STATE + "providerClass": PROVIDER,
        ROCKSDB + "changelogCheckpointing.enabled": "true",
        ROCKSDB + "boundedMemoryUsage": "true",
        ROCKSDB + "maxMemoryUsageMB": "64",
    }
    for name, value in settings.items():
        chosen = but.get(name.rsplit(".", 1)[-1], value)
        if chosen is not None:
            spark.conf.set(name, chosen)


def a_limit_without_the_switch(spark: SparkSession, clicks: DataFrame) -> DataFrame:
    """A cache for each store

    At most {facts.shared_memory} bytes are pinned in the cache: each store has its own, and ten
    stores use ten times the memory of one. Spark reads `maxMemoryUsageMB` only if the bound is
    switched on. Which setting is that switch?
    """
    _configure(spark, boundedMemoryUsage=None)
    return _count(clicks)


def settings_without_rocksdb(spark: SparkSession, clicks: DataFrame) -> DataFrame:
    """Default provider instead of RocksDB

    The state is on the JVM heap, in the HDFS-backed state store, which is Spark's default.
    Settings of RocksDB have no effect on it. Which setting chooses the provider?
    """
    _configure(spark, providerClass=None)
    return _count(clicks)


def repartitioned_input(spark: SparkSession, clicks: DataFrame) -> DataFrame:
    """Four shuffle partitions instead of ten

    There are {facts.stores} stores. The aggregation shuffles its input by its grouping keys, and
    each partition of this shuffle has one store. A `repartition` of the input does not change
    that number, nor does a misspelt key, which Spark accepts silently. Which setting gives the
    number of shuffle partitions?
    """
    _configure(spark, partitions=None)
    return _count(clicks.repartition(10))


def changelog_under_another_name(spark: SparkSession, clicks: DataFrame) -> DataFrame:
    """Snapshots instead of changelogs

    The checkpoint has snapshots only. RocksDB writes changelogs if one of its settings says so,
    under its full key. Spark accepts any key, also one that it never reads:
    `…stateStore.changelogCheckpointing.enabled` looks right and lacks a word. Which files does
    the state folder show after you have compared key and value with this lesson?
    """
    _configure(spark, enabled=None)
    spark.conf.set(STATE + "changelogCheckpointing.enabled", "true")
    return _count(clicks)


def no_limit_of_its_own(spark: SparkSession, clicks: DataFrame) -> DataFrame:
    """Shared cache with the default limit

    The stores share a cache, but `maxMemoryUsageMB` is not set, so its limit is Spark's default
    of 500 MB. A limit under another key, such as the block cache size of a single store, is not
    read here. Which key have you set?
    """
    _configure(spark, maxMemoryUsageMB=None)
    return _count(clicks)


def settings_that_the_query_never_saw(spark: SparkSession, clicks: DataFrame) -> DataFrame:
    """No setting in effect

    The state is in the default provider, in {facts.stores} stores, without changelogs and without
    a limit. A query takes the settings of the session that its stream was read in, at the moment
    when it starts. On which session do you set them, under which keys, and before you return?
    """
    _configure(spark.newSession())
    return _count(clicks)


def a_share_for_each_store(spark: SparkSession, clicks: DataFrame) -> DataFrame:
    """Limit divided by the number of stores

    The limit is {facts.limit} MB; 64 MB are required. The limit is for all stores of an executor
    together. It does not grow with their number, so there is nothing to divide. What is the total
    that these stores may use?
    """
    _configure(spark, maxMemoryUsageMB="6")
    return _count(clicks)


def a_delay_of_a_minute(spark: SparkSession, clicks: DataFrame) -> DataFrame:
    """Watermark delay of a minute

    After step 1 the watermark was {steps.1.delay} behind the newest click; {asked.steps.1.delay}
    are required. With the longer delay a window stays open longer, and a click was counted that
    should have been dropped. How late may a click be in this task?
    """
    _configure(spark)
    return _count(clicks, delay="1 minute")


def clicks_without_a_page_left_out(spark: SparkSession, clicks: DataFrame) -> DataFrame:
    """Clicks without a page left out

    A click whose page is null is missing from the counts. The task counts every click, and
    `groupBy` puts null into a group of its own. Which step of your query removes such clicks?
    """
    _configure(spark)
    return _count(clicks.where("page IS NOT NULL"))
