"""Ways to more stores that lead to no more stores, or to others than were asked for."""

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
    """Still as many stores as at the first start

    The query still has {facts.stores} stores, and the checkpoint still pins {facts.pinned}. Whatever a session
    says of the partitions counts only for a query that starts for the first time. And what is done to a copy of
    the checkpoint, or to the table that you return, the query never sees. If you do call `repartition`: does your
    function come to it, however many batches old the checkpoint is?
    """
    spark.conf.set("spark.sql.shuffle.partitions", "8")
    return _pages(spark, checkpoint)


def a_new_checkpoint(spark: SparkSession, checkpoint: str) -> DataFrame:
    """Begun anew, from the first click

    The checkpoint knows of {facts.read_once} batches, fewer than there were. It was begun anew, with eight
    stores, and the topic read from its beginning. This topic still had everything. One that keeps a week
    would have lost the counts of all the weeks before.
    """
    rows = [tuple(row) for row in _pages(spark, checkpoint).collect()]
    if _pinned(checkpoint) != 8:
        spark.conf.set("spark.sql.shuffle.partitions", "8")
        shutil.rmtree(checkpoint)
    return spark.createDataFrame(rows, "page STRING, clicks LONG")


def asked_for_once_more(spark: SparkSession, checkpoint: str) -> DataFrame:
    """Asked once more for what was done already

    After step 1 the state was cut into eight stores. After step 2 `repartition` was called again, and refused:
    the checkpoint has eight. By what does your function know that it is done? A call may come in another
    session and another process, so nothing remembered there will do. `state-metadata` and the oldest entry
    still tell of the first start. Look into the newest entry of the offset log before you call it.
    """
    spark._streamingCheckpointManager.repartition(checkpoint, 8)
    return _pages(spark, checkpoint)


def four_times_as_many(spark: SparkSession, checkpoint: str) -> DataFrame:
    """Another number than eight

    The query goes on with {facts.stores} stores; eight are asked for. `repartition` takes the number of
    stores that there shall be, in all.
    """
    if _pinned(checkpoint) != 4:
        spark._streamingCheckpointManager.repartition(checkpoint, 4)
    return _pages(spark, checkpoint)


def eight_times_as_many(spark: SparkSession, checkpoint: str) -> DataFrame:
    """Eight for each that there was

    The query goes on with {facts.stores} stores; eight are asked for, in all.
    """
    if _pinned(checkpoint) != 16:
        spark._streamingCheckpointManager.repartition(checkpoint, 16)
    return _pages(spark, checkpoint)


def state_of_the_first_batch(spark: SparkSession, checkpoint: str) -> DataFrame:
    """Eight stores, and the state of long ago

    The stores are right. The rows are those of the first batch, in every step. With `batchId` the reader
    opens an older version of the state; without, the newest.
    """
    if _pinned(checkpoint) != 8:
        spark._streamingCheckpointManager.repartition(checkpoint, 8)
    state = spark.read.format("statestore").option("batchId", 0).load(checkpoint)
    return state.selectExpr("key.page AS page", "value.count AS clicks")
