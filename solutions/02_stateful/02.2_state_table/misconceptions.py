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
    """Always reads the same state

    After steps 2 and 3 the table is still that of step 1. An option such as batchId pins the
    reader to one version of the state. That is for looking back; whoever wants to know how things
    stand leaves it out and gets the newest committed batch. If you set none: what does your
    function keep from its first call?
    """
    return _pages(spark.read.format("statestore").option("batchId", 0).load(checkpoint))


def takes_the_sum_for_the_average(spark: SparkSession, checkpoint: str) -> DataFrame:
    """The sum is not the average

    What stands in avg_seconds is the sum of the seconds. The state keeps what is needed to go on:
    a sum and a count. Only the query's last step makes an average of the two, and you stand
    before that step.
    """
    state = spark.read.format("statestore").load(checkpoint)
    return state.select(
        "key.page", F.col("value.count").alias("clicks"), F.col("value.sum").alias("avg_seconds")
    )


def counts_rows_of_state(spark: SparkSession, checkpoint: str) -> DataFrame:
    """One click for every page

    Every page has 1 click. A group has one row in the state, however many events went into it, so
    a count of rows always gives 1. How many events there were is written inside the row.
    """
    state = spark.read.format("statestore").load(checkpoint)
    return state.groupBy("key.page").agg(
        F.count("*").alias("clicks"),
        F.avg(F.col("value.sum") / F.col("value.count")).alias("avg_seconds"),
    )


def reads_one_partition(spark: SparkSession, checkpoint: str) -> DataFrame:
    """Only a part of the state is read

    Pages are missing, whatever their averages. The groups are spread over as many stores as there
    are shuffle partitions, by a hash of the key. partition_id says in which one a row lies; the
    answer is all of them together.
    """
    return _pages(spark.read.format("statestore").load(checkpoint).where("partition_id = 0"))


def applies_the_filter_again(spark: SparkSession, checkpoint: str) -> DataFrame:
    """Leaves out the pages that the query leaves out

    Only pages with an average of 20 seconds or more are there. The running query already tells of
    those. You are asked for all of them; the state has no such filter.
    """
    return _pages(spark.read.format("statestore").load(checkpoint)).where("avg_seconds >= 20")


def reads_the_other_operator(spark: SparkSession, checkpoint: str) -> DataFrame:
    """The state of the deduplication, not of the counts

    The state that was read has event_id for its key: it is that of the deduplication. This query
    has two stateful operators, and they are numbered from the end of the query: 0 is the
    aggregation, 1 the deduplication before it. state-metadata lists both by name.
    """
    return _pages(spark.read.format("statestore").option("operatorId", 1).load(checkpoint))


def reads_the_notebooks_checkpoint(spark: SparkSession, checkpoint: str) -> DataFrame:
    """The state of the notebook's own query

    After every step the table is the same: /blog with 2 clicks and /help with 1, which is what the
    notebook's own run left behind. `pages_checkpoint` is there for you to look around in. The check
    hands another path to your function each time; under which name does it come in?
    """
    # what the state behind pages_checkpoint holds, as the lesson's cells have filled it
    rows = [("/blog", 2, 50.0), ("/help", 1, 3.0)]
    return spark.createDataFrame(rows, "page STRING, clicks LONG, avg_seconds DOUBLE")
