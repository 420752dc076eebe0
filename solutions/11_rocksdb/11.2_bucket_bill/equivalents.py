"""Other right repairs."""

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F


def said_in_sql(spark: SparkSession, moves: DataFrame) -> DataFrame:
    """Settings and query in SQL."""
    state = "spark.sql.streaming.stateStore."
    provider = "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"
    for setting in (
        f"{state}providerClass={provider}",
        f"{state}rocksdb.changelogCheckpointing.enabled=true",
        f"{state}minDeltasForSnapshot=20",
        "spark.sql.shuffle.partitions=4",
    ):
        spark.sql(f"SET {setting}")
    moves.createOrReplaceTempView("moves")
    return spark.sql("SELECT product, sum(quantity) AS stock FROM moves GROUP BY product")


def the_old_keys_left_in(spark: SparkSession, moves: DataFrame) -> DataFrame:
    """Says what counts beside what does not, and lets the shared cache alone."""
    state = "spark.sql.streaming.stateStore."
    settings = {
        "spark.sql.shuffle.partitions": 4,
        state + "rocksdb.changelogCheckpointing": "true",
        state + "rocksdb.changelogCheckpointing.enabled": "true",
        state + "rocksdb.minDeltasForSnapshot": 20,
        state + "minDeltasForSnapshot": 20,
        state
        + "providerClass": "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider",
    }
    for name, value in settings.items():
        spark.conf.set(name, str(value))
    total = moves.select("product", F.col("quantity").alias("q")).groupBy("product").sum("q")
    return total.withColumnRenamed("sum(q)", "stock")
