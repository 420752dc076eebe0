"""Answers to 02.2, reading the state."""

from pathlib import Path

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F


def _pages(state: DataFrame) -> DataFrame:
    return state.select(
        F.col("key.page").alias("page"),
        F.col("value.count").alias("clicks"),
        (F.col("value.sum") / F.col("value.count")).alias("avg_seconds"),
    )


def _newest(checkpoint: str) -> int:
    return max(int(path.name) for path in Path(checkpoint, "commits").glob("[0-9]*"))


def right_newest_commit(spark: SparkSession, checkpoint: str) -> DataFrame:
    """Looks up the newest commit in the checkpoint folder and reads the state of that batch."""
    reader = spark.read.format("statestore").option("batchId", _newest(checkpoint))
    return _pages(reader.load(checkpoint))


def right_collected(spark: SparkSession, checkpoint: str) -> DataFrame:
    """Collects the rows, divides in Python, and makes a table of them; ordered by page."""
    rows = spark.read.format("statestore").load(checkpoint).select("key.*", "value.*").collect()
    told = [(row["page"], row["count"], row["sum"] / row["count"]) for row in rows]
    table = spark.createDataFrame(told, "page STRING, clicks INT, avg_seconds DOUBLE")
    return table.orderBy("page")


def right_cached(spark: SparkSession, checkpoint: str) -> DataFrame:
    """Caches what it has read, and counts it before it gives it back

    The check calls it again after each step in one session, on the same path. If Spark took the cached
    rows for the new ones, it would be named "Always reads the same state" (batchId), which it does not do.
    """
    pages = _pages(spark.read.format("statestore").load(checkpoint)).cache()
    pages.count()
    return pages


def right_regrouped(spark: SparkSession, checkpoint: str) -> DataFrame:
    """Groups by page again and adds up what each store has of it, before it divides."""
    state = spark.read.format("statestore").load(checkpoint).select("key.page", "value.*")
    added = state.groupBy("page").agg(F.sum("count").alias("clicks"), F.sum("sum").alias("total"))
    return added.withColumn("avg_seconds", F.col("total") / F.col("clicks")).drop("total")


def wrong_long_reads_only_by_a_boundary(spark: SparkSession, checkpoint: str) -> DataFrame:
    """Leaves out pages with an average of 20 seconds or less

    Every page is asked for; step 1 gives nothing at all, as /home stands at 20.
    """
    return _pages(spark.read.format("statestore").load(checkpoint)).where("avg_seconds > 20")


def wrong_sum_and_count_swapped(spark: SparkSession, checkpoint: str) -> DataFrame:
    """Takes the sum for the clicks and the count for the sum

    Both figures are wrong from step 1 on.
    """
    state = spark.read.format("statestore").load(checkpoint)
    return state.select(
        "key.page",
        F.col("value.sum").alias("clicks"),
        (F.col("value.count") / F.col("value.sum")).alias("avg_seconds"),
    )


def wrong_second_partition_only(spark: SparkSession, checkpoint: str) -> DataFrame:
    """Reads the store of partition 1 alone

    All of them together are asked for.
    """
    return _pages(spark.read.format("statestore").load(checkpoint).where("partition_id = 1"))


def wrong_a_click_a_page(spark: SparkSession, checkpoint: str) -> DataFrame:
    """Gives one click for each row and the sum as its average

    Two mistakes; both show in step 1.
    """
    state = spark.read.format("statestore").load(checkpoint)
    return state.groupBy("key.page").agg(
        F.count("*").alias("clicks"), F.sum("value.sum").alias("avg_seconds")
    )


def wrong_pages_of_two_clicks(spark: SparkSession, checkpoint: str) -> DataFrame:
    """Leaves out pages with a single click

    Every page is asked for. In step 1 that leaves /home alone, as the filter of 20 seconds does;
    step 2 differs.
    """
    return _pages(spark.read.format("statestore").load(checkpoint)).where("clicks >= 2")


def wrong_asks_for_the_average(spark: SparkSession, checkpoint: str) -> DataFrame:
    """Asks for the average."""
    state = spark.read.format("statestore").load(checkpoint)
    return state.selectExpr("key.page", "value.count AS clicks", "value.avg AS avg_seconds")


def right_whichever_has_pages(spark: SparkSession, checkpoint: str) -> DataFrame:
    """Goes through the operators and takes the one that has a page in its key."""
    numbers = spark.read.format("state-metadata").load(checkpoint).select("operatorId").distinct()
    for row in numbers.collect():
        reader = spark.read.format("statestore").option("operatorId", row.operatorId)
        state = reader.load(checkpoint)
        if "page" in state.select("key.*").columns:
            return _pages(state)
    raise ValueError(f"no operator of {checkpoint} is grouped by page")


def wrong_two_stores(spark: SparkSession, checkpoint: str) -> DataFrame:
    """The stores 0 and 1, and no others

    The check's query has five shuffle partitions: pages in the stores 2 to 4 are missing.
    """
    state = spark.read.format("statestore").load(checkpoint)
    return _pages(state.where(F.col("partition_id").isin(0, 1)))


def wrong_number_of_the_delta(spark: SparkSession, checkpoint: str) -> DataFrame:
    """Takes the number of the newest delta file for the batch's

    The files are numbered from 1: after batch 0 it asks for batch 1, which there is not yet.
    """
    deltas = Path(checkpoint, "state", "0", "0").glob("*.delta")
    newest = max(int(path.stem) for path in deltas)
    return _pages(spark.read.format("statestore").option("batchId", newest).load(checkpoint))
