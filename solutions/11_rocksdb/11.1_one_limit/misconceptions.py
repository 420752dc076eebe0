"""Wrong ways to bound the memory of state stores."""

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

STATE = "spark.sql.streaming.stateStore."
ROCKSDB = STATE + "rocksdb."
PROVIDER = "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"


def _count(clicks: DataFrame) -> DataFrame:
    return (
        clicks.withWatermark("event_time", "10 seconds")
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

    At most {facts.shared_memory} bytes are pinned in the cache: each store has one to itself, and
    ten stores take ten times as much as one. `maxMemoryUsageMB` is read only where the bound is
    switched on, by a setting of its own.
    """
    _configure(spark, boundedMemoryUsage=None)
    return _count(clicks)


def settings_without_rocksdb(spark: SparkSession, clicks: DataFrame) -> DataFrame:
    """The state is not in RocksDB

    The state lies on the Java heap, in the store that Spark takes by default. Settings of RocksDB
    wait for a store that never opens, unless one says to use it.
    """
    _configure(spark, providerClass=None)
    return _count(clicks)


def repartitioned_input(spark: SparkSession, clicks: DataFrame) -> DataFrame:
    """Only four partitions in the shuffle

    There are {facts.stores} stores. The aggregation shuffles its input by its own groups, and it is
    this shuffle whose partitions have the stores. Their number is a setting: spreading the input with
    repartition does not change it, nor does another key, which Spark takes without a word. It is fixed
    for the life of the checkpoint at the first start.
    """
    _configure(spark, partitions=None)
    return _count(clicks.repartition(10))


def changelog_under_another_name(spark: SparkSession, clicks: DataFrame) -> DataFrame:
    """Snapshots in place of changelogs

    The checkpoint holds snapshots only. Changelogs are written where a setting of RocksDB says so,
    by its whole key. Spark takes any key that you set, also one that nobody reads:
    `…stateStore.changelogCheckpointing.enabled` looks right and lacks a word. Compare key and value
    with the manual, and then look into the checkpoint folder.
    """
    _configure(spark, enabled=None)
    spark.conf.set(STATE + "changelogCheckpointing.enabled", "true")
    return _count(clicks)


def no_limit_of_its_own(spark: SparkSession, clicks: DataFrame) -> DataFrame:
    """A shared cache, and no limit that was asked for

    The stores share a cache, and `maxMemoryUsageMB` is not set: Spark takes 500 then. A limit under
    another key, such as the size of the cache that a store has for itself, is taken without a word
    and read by nobody here. Which key have you set?
    """
    _configure(spark, maxMemoryUsageMB=None)
    return _count(clicks)


def settings_that_the_query_never_saw(spark: SparkSession, clicks: DataFrame) -> DataFrame:
    """As if nothing had been set

    The state lies on the heap, in {facts.stores} stores, without changelogs and without a limit. A query
    takes its settings from the session that its stream was read in, when it starts. On which session
    do you set them, under which keys, and before the function returns?
    """
    _configure(spark.newSession())
    return _count(clicks)


def a_share_for_each_store(spark: SparkSession, clicks: DataFrame) -> DataFrame:
    """A tenth of the limit that is asked for

    The limit is {facts.limit} MB; 64 are asked for. It is for all stores of an executor together,
    and stays what it is when there are more of them; divided by their number they squeeze into a
    tenth.
    """
    _configure(spark, maxMemoryUsageMB="6")
    return _count(clicks)
