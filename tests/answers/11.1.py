"""Answers to 11.1: ten stores under one limit, said in other ways, and not quite said."""

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

STATE = "spark.sql.streaming.stateStore."
ROCKSDB = STATE + "rocksdb."
PARTITIONS = "spark.sql.shuffle.partitions"
PROVIDER = "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"
RIGHT = {
    PARTITIONS: "10",
    STATE + "providerClass": PROVIDER,
    ROCKSDB + "changelogCheckpointing.enabled": "true",
    ROCKSDB + "boundedMemoryUsage": "true",
    ROCKSDB + "maxMemoryUsageMB": "64",
}


def _say(spark: SparkSession, settings: dict[str, str]) -> None:
    for name, value in settings.items():
        spark.conf.set(name, value)


def _counted(clicks: DataFrame, delay: str = "10 seconds") -> DataFrame:
    return (
        clicks.withWatermark("event_time", delay)
        .groupBy(F.window("event_time", "1 minute"), "page")
        .agg(F.count("*").alias("clicks"))
    )


def right_query_in_sql(spark: SparkSession, clicks: DataFrame) -> DataFrame:
    """Settings one by one, the query in SQL over a temporary view."""
    for name in RIGHT:
        spark.conf.set(name, RIGHT[name])
    clicks.withWatermark("event_time", "10 seconds").createOrReplaceTempView("timed_clicks")
    return spark.sql(
        """
        SELECT window(event_time, '1 minute') AS window, page, count(1) AS clicks
        FROM timed_clicks
        GROUP BY window(event_time, '1 minute'), page
        """
    )


def right_numbers_and_truth_as_they_are(spark: SparkSession, clicks: DataFrame) -> DataFrame:
    """Sets numbers as numbers and truth values as truth values, by the session of the stream.

    spark.conf.set takes str, int and bool, and `clicks.sparkSession` is the session of the check.
    """
    conf = clicks.sparkSession.conf
    conf.set(PARTITIONS, 10)
    conf.set(STATE + "providerClass", PROVIDER)
    conf.set(ROCKSDB + "changelogCheckpointing.enabled", True)
    conf.set(ROCKSDB + "boundedMemoryUsage", True)
    conf.set(ROCKSDB + "maxMemoryUsageMB", 64)
    return _counted(clicks)


def right_names_of_rocksdb_in_lower_case(spark: SparkSession, clicks: DataFrame) -> DataFrame:
    """RocksDB's own names in lower case, truth in capitals: Spark reads both in any case."""
    _say(spark, {PARTITIONS: "10", STATE + "providerClass": PROVIDER})
    spark.conf.set(ROCKSDB + "changelogcheckpointing.enabled", "TRUE")
    spark.conf.set(ROCKSDB + "boundedmemoryusage", "True")
    spark.conf.set(ROCKSDB + "maxmemoryusagemb", "64")
    return _counted(clicks)


def right_window_as_a_column_first(spark: SparkSession, clicks: DataFrame) -> DataFrame:
    """Makes the window a column of its own, groups by names, sums ones, and puts the columns in order."""
    _say(spark, RIGHT)
    minutes = (
        clicks.withWatermark("event_time", "10000 milliseconds")
        .withColumn("window", F.window(F.col("event_time"), "60 seconds"))
        .withColumn("one", F.lit(1))
    )
    counts = minutes.groupBy("page", "window").agg(F.sum("one").alias("clicks"))
    return counts.select("window", "page", "clicks")


def right_settings_after_the_query(spark: SparkSession, clicks: DataFrame) -> DataFrame:
    """Builds the query first and sets the session up afterwards, before the function returns.

    "before you return the query": a query takes its settings when it starts.
    """
    counts = _counted(clicks)
    _say(spark, RIGHT)
    return counts


def right_smaller_blocks_as_well(spark: SparkSession, clicks: DataFrame) -> DataFrame:
    """Says more than is asked for: a snapshot after 50 changelogs, and the default size of a block."""
    more = {STATE + "minDeltasForSnapshot": "50", ROCKSDB + "blockSizeKB": "4"}
    _say(spark, more | RIGHT)
    timed = clicks.select("event_time", "page").withWatermark("event_time", "10 seconds")
    grouped = timed.groupBy(F.window("event_time", "1 minute").alias("window"), F.col("page"))
    return grouped.agg(F.count_if(F.lit(True)).alias("clicks"))


def wrong_limit_in_bytes(spark: SparkSession, clicks: DataFrame) -> DataFrame:
    """The limit in bytes, where the key ends in MB: 64 million megabytes."""
    _say(spark, RIGHT | {ROCKSDB + "maxMemoryUsageMB": str(64 * 1024 * 1024)})
    return _counted(clicks)


def wrong_limit_with_its_unit(spark: SparkSession, clicks: DataFrame) -> DataFrame:
    """The limit as "64m", as other settings of Spark's take it.

    This one takes a number; the query does not start.
    """
    _say(spark, RIGHT | {ROCKSDB + "maxMemoryUsageMB": "64m"})
    return _counted(clicks)


def wrong_sixty_four_for_each(spark: SparkSession, clicks: DataFrame) -> DataFrame:
    """64 MB for each of the ten stores, 640 in all.

    "which share 64 MB, all of them together".
    """
    _say(spark, RIGHT | {ROCKSDB + "maxMemoryUsageMB": "640"})
    return _counted(clicks)


def wrong_size_of_the_block_cache(spark: SparkSession, clicks: DataFrame) -> DataFrame:
    """Sets blockCacheSizeMB, the cache of an unbounded store, in place of maxMemoryUsageMB.

    The bound is on, with its default of 500 MB.
    """
    settings = {n: v for n, v in RIGHT.items() if not n.endswith("maxMemoryUsageMB")}
    _say(spark, settings | {ROCKSDB + "blockCacheSizeMB": "64"})
    return _counted(clicks)


def wrong_settings_of_a_new_session(spark: SparkSession, clicks: DataFrame) -> DataFrame:
    """Sets up a newSession(), as the lesson does above, and returns a query of the old one.

    The stream belongs to the session that read it.
    """
    _say(spark.newSession(), RIGHT)
    return _counted(clicks)


def wrong_default_parallelism(spark: SparkSession, clicks: DataFrame) -> DataFrame:
    """Sets spark.default.parallelism for the number of stores.

    That is a setting of Spark's core, which a running session does not take.
    """
    settings = {n: v for n, v in RIGHT.items() if n != PARTITIONS}
    _say(spark, settings | {"spark.default.parallelism": "10"})
    return _counted(clicks)


def wrong_ten_minutes_of_delay(spark: SparkSession, clicks: DataFrame) -> DataFrame:
    """A delay of ten minutes; clicks come ten seconds late at most."""
    _say(spark, RIGHT)
    return _counted(clicks, "10 minutes")


def wrong_windows_every_ten_seconds(spark: SparkSession, clicks: DataFrame) -> DataFrame:
    """A window of a minute every ten seconds: the ten seconds of lateness taken for the slide."""
    _say(spark, RIGHT)
    return (
        clicks.withWatermark("event_time", "10 seconds")
        .groupBy(F.window("event_time", "1 minute", "10 seconds"), "page")
        .agg(F.count("*").alias("clicks"))
    )


def wrong_pages_counted(spark: SparkSession, clicks: DataFrame) -> DataFrame:
    """count("page") gives 0 for the clicks that have no page; shows in step 4."""
    _say(spark, RIGHT)
    return (
        clicks.withWatermark("event_time", "10 seconds")
        .groupBy(F.window("event_time", "1 minute"), "page")
        .agg(F.count("page").alias("clicks"))
    )


def wrong_coalesced_behind_the_count(spark: SparkSession, clicks: DataFrame) -> DataFrame:
    """Forty partitions in the shuffle, and coalesce(10) behind the aggregation.

    There are fewer tasks, each of which opens four stores: forty stores.
    """
    _say(spark, RIGHT | {PARTITIONS: "40"})
    return _counted(clicks).coalesce(10)
