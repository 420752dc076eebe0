"""Other right ways to bound the memory of ten stores."""

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F


def set_in_sql(spark: SparkSession, clicks: DataFrame) -> DataFrame:
    """Uses SET of SQL for the settings, and renames the count afterward."""
    rocksdb = "spark.sql.streaming.stateStore.rocksdb."
    provider = "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"
    for setting in (
        "spark.sql.shuffle.partitions=10",
        f"spark.sql.streaming.stateStore.providerClass={provider}",
        f"{rocksdb}changelogCheckpointing.enabled=true",
        f"{rocksdb}boundedMemoryUsage=true",
        f"{rocksdb}maxMemoryUsageMB=64",
    ):
        spark.sql(f"SET {setting}")
    minute = F.window("event_time", "60 seconds")
    timed = clicks.withWatermark("event_time", "10 seconds")
    return timed.groupBy("page", minute).count().withColumnRenamed("count", "clicks")


def with_more_said_than_needed(spark: SparkSession, clicks: DataFrame) -> DataFrame:
    """Also divides the limit between write buffers and caches, which the task leaves open."""
    rocksdb = "spark.sql.streaming.stateStore.rocksdb."
    settings = {
        "spark.sql.shuffle.partitions": 10,
        "spark.sql.streaming.stateStore.providerClass": (
            "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"
        ),
        rocksdb + "changelogCheckpointing.enabled": True,
        rocksdb + "boundedMemoryUsage": True,
        rocksdb + "maxMemoryUsageMB": 64,
        rocksdb + "writeBufferCacheRatio": 0.4,
        rocksdb + "highPriorityPoolRatio": 0.2,
    }
    for name, value in settings.items():
        spark.conf.set(name, str(value).lower() if isinstance(value, bool) else str(value))
    return (
        clicks.withWatermark("event_time", "10 seconds")
        .groupBy(F.window("event_time", "1 minute"), "page")
        .agg(F.count(F.lit(1)).alias("clicks"))
    )
