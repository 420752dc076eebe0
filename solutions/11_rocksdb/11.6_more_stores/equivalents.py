"""Other right ways to eight stores."""

import json
from pathlib import Path

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F


def counts_its_batches(spark: SparkSession, checkpoint: str) -> DataFrame:
    """Finds the newest entry by counting up from the oldest, and says `num_partitions` by its name."""
    offsets = Path(checkpoint) / "offsets"
    newest = min(int(entry.name) for entry in offsets.iterdir() if entry.name.isdigit())
    while (offsets / str(newest + 1)).exists():
        newest += 1
    conf = json.loads((offsets / str(newest)).read_text().split("\n")[1])["conf"]
    if int(conf["spark.sql.shuffle.partitions"]) < 8:
        spark._streamingCheckpointManager.repartition(checkpoint, num_partitions=8)
    state = spark.read.format("statestore").load(checkpoint)
    pages = state.withColumn("page", F.col("key.page")).withColumn("clicks", F.col("value.count"))
    return pages.drop("key", "value", "partition_id")


def asks_for_forgiveness(spark: SparkSession, checkpoint: str) -> DataFrame:
    """Tries, and goes on where Spark says that it is done already."""
    try:
        spark._streamingCheckpointManager.repartition(checkpoint, 8)
    except Exception as error:
        if "SHUFFLE_PARTITIONS_ALREADY_MATCH" not in str(error):
            raise
    state = spark.read.format("statestore").option("storeName", "default").load(checkpoint)
    return state.selectExpr("key.page", "value.count AS clicks")
