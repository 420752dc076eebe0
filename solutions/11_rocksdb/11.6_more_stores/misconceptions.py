"""Ways to more stores that do not lead to eight stores."""

import json
import shutil
from pathlib import Path
from typing import Any

from pyspark.sql import DataFrame, SparkSession


def _pages(spark: SparkSession, checkpoint: str) -> DataFrame:
    state = spark.read.format("statestore").load(checkpoint)
    return state.selectExpr("key.page AS page", "value.count AS clicks")


def _pinned(checkpoint: str) -> int:
    newest = max(Path(checkpoint, "offsets").glob("[0-9]*"), key=lambda path: int(path.name))
    about: dict[str, Any] = json.loads(newest.read_text().splitlines()[1])
    return int(about["conf"]["spark.sql.shuffle.partitions"])


def said_to_the_session(spark: SparkSession, checkpoint: str) -> DataFrame:
    """Number of stores unchanged

    The query still has {facts.stores} stores, and the checkpoint still pins {facts.pinned}. The
    session's number of partitions counts only at the first start, and a copy of the checkpoint
    changes nothing for the query. If you do call `repartition`: does your function reach the
    call, however many batches the query has run?
    """
    spark.conf.set("spark.sql.shuffle.partitions", "8")
    return _pages(spark, checkpoint)


def a_new_checkpoint(spark: SparkSession, checkpoint: str) -> DataFrame:
    """New checkpoint instead of the old one

    The checkpoint has {facts.read_once} batches, fewer than there were. It was created again,
    with eight stores, and the topic was read from its beginning. This topic still had everything.
    What would a topic with a retention of a week have lost?
    """
    rows = [tuple(row) for row in _pages(spark, checkpoint).collect()]
    if _pinned(checkpoint) != 8:
        spark.conf.set("spark.sql.shuffle.partitions", "8")
        shutil.rmtree(checkpoint)
    return spark.createDataFrame(rows, "page STRING, clicks LONG")


def asked_for_once_more(spark: SparkSession, checkpoint: str) -> DataFrame:
    """Second `repartition` of the same checkpoint

    After step 1 the checkpoint had eight stores. After step 2 `repartition` was called again, and
    Spark refused it. A call may come in another session or process, so nothing remembered there
    helps. The source `state-metadata` and old entries still have the number of the first start. Which
    entry of the offset log is the newest: by its number, not by its text?
    """
    spark._streamingCheckpointManager.repartition(checkpoint, 8)
    return _pages(spark, checkpoint)


def four_times_as_many(spark: SparkSession, checkpoint: str) -> DataFrame:
    """Four stores instead of eight

    The query continues with {facts.stores} stores; eight are required. `repartition` takes the
    total number of stores, not a factor. Which number did you pass?
    """
    if _pinned(checkpoint) != 4:
        spark._streamingCheckpointManager.repartition(checkpoint, 4)
    return _pages(spark, checkpoint)


def eight_times_as_many(spark: SparkSession, checkpoint: str) -> DataFrame:
    """Sixteen stores instead of eight

    The query continues with {facts.stores} stores; eight are required in total. `repartition`
    takes the number of stores, not a factor. Which number did you pass?
    """
    if _pinned(checkpoint) != 16:
        spark._streamingCheckpointManager.repartition(checkpoint, 16)
    return _pages(spark, checkpoint)


def state_of_the_first_batch(spark: SparkSession, checkpoint: str) -> DataFrame:
    """State of the first batch

    The number of stores is right. The rows are those of the first batch, in every step. With
    `batchId` the reader opens an older version of the state. Which version does it open without
    that option?
    """
    if _pinned(checkpoint) != 8:
        spark._streamingCheckpointManager.repartition(checkpoint, 8)
    state = spark.read.format("statestore").option("batchId", 0).load(checkpoint)
    return state.selectExpr("key.page AS page", "value.count AS clicks")
