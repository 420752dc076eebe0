"""Other right answers to the stamp cards."""

from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.streaming.readwriter import DataStreamWriter


def _raw(spark: SparkSession, kafka: Any) -> DataFrame:
    return (
        spark.readStream.format("kafka")
        .option("kafka.bootstrap.servers", kafka.bootstrap_servers)
        .option("subscribe", kafka.topic("orders"))
        .option("startingOffsets", "earliest")
        .load()
    )


def in_sql(spark: SparkSession, kafka: Any) -> DataStreamWriter:
    """Parses one field only and counts in SQL; the topic is a column of the rows."""
    _raw(spark, kafka).createOrReplaceTempView("raw")
    counts = spark.sql(
        "SELECT get_json_object(string(value), '$.customer') AS customer, count(*) AS orders "
        "FROM raw GROUP BY 1"
    )
    records = counts.selectExpr(
        f"'{kafka.topic('cards')}' AS topic",
        "customer AS key",
        "to_json(struct(customer, orders)) AS value",
    )
    sink = records.writeStream.format("kafka").outputMode("update")
    return sink.option("kafka.bootstrap.servers", kafka.bootstrap_servers)


def counts_outside_and_writes_in_foreach_batch(spark: SparkSession, kafka: Any) -> DataStreamWriter:
    """Spark's state counts; foreachBatch only writes what changed."""
    schema = "customer STRING"
    orders = _raw(spark, kafka).select(
        F.from_json(F.col("value").cast("string"), schema).alias("o")
    )
    counts = orders.groupBy("o.customer").agg(F.count("*").alias("orders"))

    def write(batch: DataFrame, _batch_id: int) -> None:
        records = batch.select(
            batch.customer.alias("key"), F.to_json(F.struct("customer", "orders")).alias("value")
        )
        sink = records.write.format("kafka").option("topic", kafka.topic("cards"))
        sink.option("kafka.bootstrap.servers", kafka.bootstrap_servers).save()

    return counts.writeStream.outputMode("update").foreachBatch(write)
