"""Ways in which the state is misread."""

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F


def _pages(state: DataFrame) -> DataFrame:
    return state.select(
        F.col("key.page").alias("page"),
        F.col("value.count").alias("clicks"),
        (F.col("value.sum") / F.col("value.count")).alias("avg_seconds"),
    )


def stays_at_the_first_batch(spark: SparkSession, checkpoint: str) -> DataFrame:
    """Same version of the state in every step

    After steps 2 and 3 the table is still that of step 1. The option batchId selects one version of
    the state; without it the reader takes the last committed micro-batch. Do you set such an
    option, or does your function keep a result of its first call?
    """
    return _pages(spark.read.format("statestore").option("batchId", 0).load(checkpoint))


def takes_the_sum_for_the_average(spark: SparkSession, checkpoint: str) -> DataFrame:
    """Sum returned as the average

    Your avg_seconds is the sum of the seconds. The state keeps a sum and a count, because an
    average alone cannot be continued. The query divides them afterward, downstream of the state.
    Which calculation is missing?
    """
    state = spark.read.format("statestore").load(checkpoint)
    return state.select(
        "key.page", F.col("value.count").alias("clicks"), F.col("value.sum").alias("avg_seconds")
    )


def counts_rows_of_state(spark: SparkSession, checkpoint: str) -> DataFrame:
    """Rows of state counted instead of clicks

    Every page has 1 click. The state has one row per group, however many events were counted in it.
    Which field of the row holds the number of events?
    """
    state = spark.read.format("statestore").load(checkpoint)
    return state.groupBy("key.page").agg(
        F.count("*").alias("clicks"),
        F.avg(F.col("value.sum") / F.col("value.count")).alias("avg_seconds"),
    )


def reads_one_partition(spark: SparkSession, checkpoint: str) -> DataFrame:
    """Part of the state store partitions only

    Pages are missing, whatever their averages. The groups are spread over one state store per
    shuffle partition, by a hash of the key. partition_id says which store holds a row. Which stores
    does your function read?
    """
    return _pages(spark.read.format("statestore").load(checkpoint).where("partition_id = 0"))


def applies_the_filter_again(spark: SparkSession, checkpoint: str) -> DataFrame:
    """Filter of the query applied to the state

    Only pages with an average of 20 seconds or more are in your result. The running query already
    emits those. The task requires all pages in the state. Which condition can go?
    """
    return _pages(spark.read.format("statestore").load(checkpoint)).where("avg_seconds >= 20")


def reads_the_other_operator(spark: SparkSession, checkpoint: str) -> DataFrame:
    """State of the deduplication instead of the aggregation

    The state that you read has event_id as its key: it belongs to the deduplication. Operators are
    numbered from the end of the query, so 0 is the aggregation and 1 the deduplication upstream of
    it. The format state-metadata lists both by name. Which operatorId do you read?
    """
    return _pages(spark.read.format("statestore").option("operatorId", 1).load(checkpoint))


def reads_the_notebooks_checkpoint(spark: SparkSession, checkpoint: str) -> DataFrame:
    """Checkpoint of the notebook's own query

    After every step the table is the same: /blog with 2 clicks and /help with 1. That is the state
    of the notebook's own query. The check passes another path each time. Which argument holds it?
    """
    # what the state behind pages_checkpoint holds, as the lesson's cells have filled it
    rows = [("/blog", 2, 50.0), ("/help", 1, 3.0)]
    return spark.createDataFrame(rows, "page STRING, clicks LONG, avg_seconds DOUBLE")


def page_null_left_out(spark: SparkSession, checkpoint: str) -> DataFrame:
    """Page null left out

    After step 4 the row whose page is null is missing. The state has a group for clicks without a page, and
    the task counts it as one more page. Which filter or join drops it?
    """
    return _pages(spark.read.format("statestore").load(checkpoint).where("key.page IS NOT NULL"))


def average_rounded(spark: SparkSession, checkpoint: str) -> DataFrame:
    """Average rounded to an integer

    After step 2 the average of /home should be 21.67, rounded to two digits here, and yours has no fraction.
    Which function or type in your code removes it?
    """
    pages = _pages(spark.read.format("statestore").load(checkpoint))
    return pages.withColumn("avg_seconds", F.round("avg_seconds"))
