"""Other right ways to turn the levers."""

from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

STATE = "spark.sql.streaming.stateStore."


def _counts(records: DataFrame) -> DataFrame:
    return (
        records.select(F.col("key").cast("string").alias("page"), "timestamp")
        .withWatermark("timestamp", "5 seconds")
        .groupBy("page", F.window("timestamp", "5 seconds"))
        .agg(F.count("*").alias("clicks"))
        .select("page", F.col("window.start").alias("start"), "clicks")
    )


def counted_up(spark: SparkSession, kafka: Any) -> DataFrame:
    """Adds cores until the pieces are small enough, and sets options all at once; more levers do no harm."""
    cores = int(spark.conf.get("shop.cores") or 1)
    megabytes = int(spark.conf.get("shop.stateMegabytes") or 0)
    partitions = cores
    while megabytes / partitions > 200:
        partitions += cores
    settings = {
        "spark.sql.shuffle.partitions": str(partitions),
        STATE
        + "providerClass": "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider",
        STATE + "rocksdb.changelogCheckpointing.enabled": "true",
        STATE + "rocksdb.boundedMemoryUsage": "true",
    }
    for name, value in settings.items():
        spark.conf.set(name, value)
    most = int(5 * cores * float(spark.conf.get("shop.clicksPerCore") or 0))
    options = {
        "kafka.bootstrap.servers": kafka.bootstrap_servers,
        "subscribe": kafka.topic("clicks"),
        "startingOffsets": "earliest",
        "maxOffsetsPerTrigger": str(most),
        "minPartitions": str(cores),
    }
    return _counts(spark.readStream.format("kafka").options(**options).load())
