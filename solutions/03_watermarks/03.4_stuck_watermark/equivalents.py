"""Other right repairs."""

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F


def by_cast(spark: SparkSession, app: DataFrame, kiosk: DataFrame) -> DataFrame:
    """Casts numbers to timestamps (a cast takes seconds) and groups behind a union by position."""
    clicks = app.select((F.col("sent") / 1000).cast("timestamp").alias("t")).withWatermark(
        "t", "10 seconds"
    )
    taps = kiosk.select(F.col("sent").cast("timestamp").alias("t")).withWatermark("t", "1 minute")
    counted = clicks.union(taps).groupBy(F.window("t", "5 minutes")).count()
    return counted.withColumnRenamed("count", "clicks")


def one_unit_first(spark: SparkSession, app: DataFrame, kiosk: DataFrame) -> DataFrame:
    """Brings the kiosk to milliseconds and leaves the rest of the pipeline as it was; states the policy."""
    spark.conf.set("spark.sql.streaming.multipleWatermarkPolicy", "min")
    kiosk = kiosk.withColumn("sent", F.col("sent") * 1000)
    clicks = app.withColumn("event_time", F.timestamp_millis("sent")).withWatermark(
        "event_time", "10 seconds"
    )
    taps = kiosk.withColumn("event_time", F.timestamp_millis("sent")).withWatermark(
        "event_time", "1 minute"
    )
    both = clicks.unionByName(taps)
    return both.groupBy(F.window("event_time", "5 minutes")).agg(F.count("*").alias("clicks"))
