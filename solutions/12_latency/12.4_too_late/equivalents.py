"""Other right repairs."""

from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.streaming.readwriter import DataStreamWriter


def said_in_sql(spark: SparkSession, clicks: DataFrame, kafka: Any) -> DataStreamWriter:
    """Settings and query in SQL."""
    state = "spark.sql.streaming.stateStore."
    provider = "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"
    for setting in (
        f"{state}providerClass={provider}",
        f"{state}rocksdb.changelogCheckpointing.enabled=true",
        "spark.sql.shuffle.partitions=4",
    ):
        spark.sql(f"SET {setting}")
    clicks.withWatermark("event_time", "2 minutes").createOrReplaceTempView("clicks")
    records = spark.sql(
        """
        SELECT page AS key,
               to_json(struct(window.start AS minute, page, count(*) AS clicks)) AS value
        FROM clicks GROUP BY window(event_time, '1 minute'), page HAVING count(*) > 3
        """
    )
    to_topic = records.writeStream.format("kafka").option("topic", kafka.topic("alarms"))
    return to_topic.option("kafka.bootstrap.servers", kafka.bootstrap_servers).outputMode("update")


def with_bounded_memory(spark: SparkSession, clicks: DataFrame, kafka: Any) -> DataStreamWriter:
    """Sets more than is required, and gives the topic as a column."""
    state = "spark.sql.streaming.stateStore."
    settings: dict[str, Any] = {
        "spark.sql.shuffle.partitions": 4,
        state + "rocksdb.changelogCheckpointing": "true",
        state + "rocksdb.changelogCheckpointing.enabled": "true",
        state + "rocksdb.trackTotalNumberOfRows": "true",
        state
        + "providerClass": "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider",
    }
    for name, value in settings.items():
        spark.conf.set(name, str(value))
    minute = F.window("event_time", "60 seconds").alias("minute")
    counts = clicks.withWatermark("event_time", "120 seconds").groupBy(minute, "page").count()
    value = F.to_json(
        F.struct(
            F.col("minute.start").alias("minute"), F.col("page"), F.col("count").alias("clicks")
        )
    )
    records = counts.where(F.col("count") >= 4).select(
        F.lit(kafka.topic("alarms")).alias("topic"),
        F.col("page").cast("binary").alias("key"),
        value.alias("value"),
    )
    writer = records.writeStream.outputMode("update").format("kafka")
    return writer.option("kafka.bootstrap.servers", kafka.bootstrap_servers)
