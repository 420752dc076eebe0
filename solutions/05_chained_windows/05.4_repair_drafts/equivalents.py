"""Other right repairs."""

from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.streaming.readwriter import DataStreamWriter


def by_window_time(spark: SparkSession, kafka: Any, orders: DataFrame) -> DataStreamWriter:
    """Groups by window_time, and lets Spark take its default mode, which is append."""
    minutes = (
        orders.withWatermark("order_time", "60 seconds")
        .groupBy(F.window("order_time", "1 minute").alias("minute"))
        .agg(F.sum("amount").alias("revenue"))
        .withColumn("at", F.window_time("minute"))
    )
    hours = minutes.groupBy(F.window("at", "1 hour")).agg(
        F.count("*").alias("minutes"),
        F.sum("revenue").alias("revenue"),
        F.max("revenue").alias("best"),
    )
    return (
        hours.selectExpr("to_json(struct(*)) AS value")
        .writeStream.format("kafka")
        .option("kafka.bootstrap.servers", kafka.bootstrap_servers)
        .option("topic", kafka.topic("hours"))
    )


def writes_in_foreach_batch(spark: SparkSession, kafka: Any, orders: DataFrame) -> DataStreamWriter:
    """The chain stands in the stream; foreachBatch only writes what is final."""
    hours = (
        orders.withWatermark("order_time", "1 minute")
        .groupBy(F.window("order_time", "1 minute"))
        .agg(F.sum("amount").alias("revenue"))
        .groupBy(F.window("window", "1 hour"))
        .agg(
            F.count("*").alias("minutes"),
            F.sum("revenue").alias("revenue"),
            F.max("revenue").alias("best"),
        )
    )

    def write(batch: DataFrame, _batch_id: int) -> None:
        records = batch.select(F.to_json(F.struct("*")).alias("value"))
        sink = records.write.format("kafka").option("topic", kafka.topic("hours"))
        sink.option("kafka.bootstrap.servers", kafka.bootstrap_servers).save()

    return hours.writeStream.outputMode("append").foreachBatch(write)
