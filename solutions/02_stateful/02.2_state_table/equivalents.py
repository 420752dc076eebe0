"""Other right answers to reading the state."""

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F


def in_sql(spark: SparkSession, checkpoint: str) -> DataFrame:
    """Written in SQL over a view of the state, with every option said."""
    reader = spark.read.format("statestore").option("operatorId", 0).option("storeName", "default")
    reader.option("path", checkpoint).load().createOrReplaceTempView("state")
    return spark.sql(
        "SELECT key.page AS page, value.count AS clicks, value.sum / value.count AS avg_seconds FROM state"
    )


def with_columns(spark: SparkSession, checkpoint: str) -> DataFrame:
    """Takes the structs apart column by column and finds the operator by its name in state-metadata."""
    operators = spark.read.format("state-metadata").load(checkpoint)
    number = operators.where(F.col("operatorName") == "stateStoreSave").first()["operatorId"]
    state = spark.read.format("statestore").option("operatorId", number).load(checkpoint)
    return (
        state.withColumn("page", state.key.page)
        .withColumn("clicks", state["value"]["count"])
        .withColumn("avg_seconds", F.expr("value.sum") / F.col("clicks"))
        .drop("key", "value", "partition_id")
    )
