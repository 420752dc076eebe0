"""Other right counts."""

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F


def in_sql(spark: SparkSession, orders: str) -> DataFrame:
    """In SQL, from version 0 on, with filtered aggregates."""
    feed = spark.readStream.format("delta").option("readChangeFeed", "true")
    feed.option("startingVersion", 0).load(orders).createOrReplaceTempView("changes")
    return spark.sql(
        """
        SELECT status,
               count(*) FILTER (WHERE comes) - count(*) FILTER (WHERE NOT comes) AS orders,
               sum(if(comes, cents, -cents)) AS cents
        FROM (SELECT *, _change_type IN ('insert', 'update_postimage') AS comes FROM changes)
        GROUP BY status
        """
    )


def two_streams(spark: SparkSession, orders: str) -> DataFrame:
    """What comes and what goes as two streams, united."""
    feed = spark.readStream.format("delta").option("readChangeFeed", True).load(orders)
    comes = feed.where(F.col("_change_type").isin("insert", "update_postimage"))
    goes = feed.where(F.col("_change_type").isin("delete", "update_preimage"))
    moves = comes.select("status", F.lit(1).alias("one"), "cents").unionByName(
        goes.select("status", F.lit(-1).alias("one"), (-F.col("cents")).alias("cents"))
    )
    return moves.groupBy("status").agg(F.sum("one").alias("orders"), F.sum("cents").alias("cents"))
