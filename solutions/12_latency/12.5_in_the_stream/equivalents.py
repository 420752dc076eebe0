"""Other right measurements."""

from pyspark.sql import DataFrame
from pyspark.sql import functions as F


def in_sql(results: DataFrame) -> DataFrame:
    """One expression for each column, with FILTER."""
    latencies = results.withWatermark("timestamp", "10 seconds").selectExpr(
        "timestamp",
        "unix_millis(timestamp) - from_json(string(value), 'page STRING, made LONG').made AS ms",
    )
    latencies.createOrReplaceTempView("latencies")
    return latencies.sparkSession.sql(
        """
        SELECT window(timestamp, '1 minute') AS window,
               count(*) AS records,
               count(*) FILTER (WHERE ms > 1000) AS slow,
               count(*) FILTER (WHERE ms < 0) AS negative,
               count(*) FILTER (WHERE ms IS NULL) AS unknown,
               max(ms) FILTER (WHERE ms >= 0) AS worst
        FROM latencies GROUP BY window(timestamp, '1 minute')
        """
    )


def with_sums(results: DataFrame) -> DataFrame:
    """Adds ones up, and takes the count of what is known from that of all."""
    parsed = F.from_json(F.col("value").cast("string"), "made LONG").getField("made")
    latency = (F.unix_micros("timestamp") / 1000).cast("long") - parsed
    rows = (
        results.select("timestamp", latency.alias("latency"))
        .withColumn("slow", F.when(F.col("latency") > 1000, 1).otherwise(0))
        .withColumn("negative", F.when(F.col("latency") < 0, 1).otherwise(0))
        .withColumn("good", F.when(F.col("latency") > -1, F.col("latency")))
        .withWatermark("timestamp", "10 seconds")
    )
    return (
        rows.groupBy(F.window("timestamp", "60 seconds"))
        .agg(
            F.count("*").alias("records"),
            F.sum("slow").alias("slow"),
            F.sum("negative").alias("negative"),
            F.count("latency").alias("known"),
            F.max("good").alias("worst"),
        )
        .withColumn("unknown", F.col("records") - F.col("known"))
        .drop("known")
    )
