"""Other right answers to reading the open visits."""

from pyspark.sql import DataFrame, SparkSession, Window
from pyspark.sql import functions as F


def in_sql(spark: SparkSession, checkpoint: str) -> DataFrame:
    """Written in SQL over a view of the state."""
    spark.read.format("statestore").load(checkpoint).createOrReplaceTempView("state")
    return spark.sql(
        """
        WITH visits AS (
            SELECT key.user AS user, value.session_window.start AS began,
                   value.session_window.end - INTERVAL 5 MINUTES AS last_seen, value.count AS pages
            FROM state
        )
        SELECT * FROM visits
        WHERE last_seen >= (SELECT max(last_seen) FROM visits) - INTERVAL 5 MINUTES
        """
    )


def over_all_rows(spark: SparkSession, checkpoint: str) -> DataFrame:
    """Takes the start from the key, and compares ends: a visit goes on unless it ended before the newest page view."""
    state = spark.read.format("statestore").option("storeName", "default").load(checkpoint)
    end, gap = F.col("value.session_window.end"), F.expr("INTERVAL 5 MINUTES")
    return (
        state.withColumn("newest", F.max(end - gap).over(Window.partitionBy()))
        .where(end >= F.col("newest"))
        .select(
            "key.user",
            F.col("key.sessionStartTime").alias("began"),
            (end - gap).alias("last_seen"),
            F.col("value.count").alias("pages"),
        )
    )
