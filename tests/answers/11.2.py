"""Answers to 11.2: other repairs of the stock query, whole ones and halves."""

from collections.abc import Iterator
from typing import Any

import pandas as pd
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.streaming.state import GroupState, GroupStateTimeout

STATE = "spark.sql.streaming.stateStore."
ROCKSDB = STATE + "rocksdb."
PARTITIONS = "spark.sql.shuffle.partitions"
PROVIDER = "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"
COLLEAGUE = {
    STATE + "providerClass": PROVIDER,
    ROCKSDB + "changelogCheckpointing": "true",
    ROCKSDB + "minDeltasForSnapshot": "20",
    PARTITIONS: "24",
}
RIGHT = {
    STATE + "providerClass": PROVIDER,
    ROCKSDB + "changelogCheckpointing.enabled": "true",
    STATE + "minDeltasForSnapshot": "20",
    PARTITIONS: "4",
}


def _say(spark: SparkSession, settings: dict[str, str]) -> None:
    for name, value in settings.items():
        spark.conf.set(name, value)


def _summed(moves: DataFrame) -> DataFrame:
    return moves.groupBy("product").agg(F.sum("quantity").alias("stock"))


def right_colleague_first_then_mended(spark: SparkSession, moves: DataFrame) -> DataFrame:
    """Runs through the colleague's settings, then sets what was wrong once more, rightly spelt."""
    _say(spark, COLLEAGUE)
    for useless in (ROCKSDB + "changelogCheckpointing", ROCKSDB + "minDeltasForSnapshot"):
        spark.conf.unset(useless)
    spark.conf.set(ROCKSDB + "changelogCheckpointing.enabled", True)
    spark.conf.set(STATE + "minDeltasForSnapshot", 20)
    spark.conf.set(PARTITIONS, 4)
    return _summed(moves)


def right_sum_of_what_was_counted(spark: SparkSession, moves: DataFrame) -> DataFrame:
    """Adds zeros for what nobody counted, and gives null as long as nothing was."""
    _say(spark, RIGHT)
    counted = F.count("quantity").alias("counted")
    total = F.sum(F.coalesce(F.col("quantity"), F.lit(0))).alias("total")
    sums = moves.groupBy("product").agg(counted, total)
    return sums.select("product", F.when(F.col("counted") > 0, F.col("total")).alias("stock"))


def right_a_flag_for_no_product(spark: SparkSession, moves: DataFrame) -> DataFrame:
    """Groups by a flag and a text that is never null, and puts the null back."""
    _say(spark, RIGHT)
    flagged = moves.select(
        F.col("product").isNull().alias("nameless"),
        F.coalesce("product", F.lit("")).alias("name"),
        F.col("quantity").cast("long").alias("quantity"),
    )
    sums = flagged.groupBy("nameless", "name").agg(F.try_sum("quantity").alias("stock"))
    return sums.select(F.when(~F.col("nameless"), F.col("name")).alias("product"), "stock")


def right_state_of_its_own(spark: SparkSession, moves: DataFrame) -> DataFrame:
    """applyInPandasWithState: another operator in the same four stores."""

    def add(key: Any, pieces: Iterator[pd.DataFrame], state: GroupState) -> Iterator[pd.DataFrame]:
        (stock,) = state.get if state.exists else (None,)
        for piece in pieces:
            for quantity in piece["quantity"].dropna():
                stock = int(quantity) + (stock or 0)
        state.update((stock,))
        told = {"product": pd.Series([key[0]], dtype=object)}
        yield pd.DataFrame({**told, "stock": pd.Series([stock], dtype="Int64")})

    _say(spark, RIGHT)
    return moves.groupBy("product").applyInPandasWithState(
        add, "product STRING, stock LONG", "stock LONG", "update", GroupStateTimeout.NoTimeout
    )


def right_without_a_count_of_the_rows(spark: SparkSession, moves: DataFrame) -> DataFrame:
    """Also tells RocksDB not to count its rows, which the task leaves open; names in lower case."""
    settings = {
        PARTITIONS: "4",
        STATE + "minDeltasForSnapshot": "20",
        STATE + "providerClass": PROVIDER,
        ROCKSDB + "changelogcheckpointing.enabled": "True",
        ROCKSDB + "trackTotalNumberOfRows": "false",
    }
    _say(spark, settings)
    return moves.groupBy(F.col("product")).agg(F.expr("sum(quantity) AS stock"))


def wrong_only_the_last_word(spark: SparkSession, moves: DataFrame) -> DataFrame:
    """Half a repair: the key for changelogs has its last word, all else is the colleague's.

    24 stores, and a snapshot after ten changelogs.
    """
    _say(spark, COLLEAGUE | {ROCKSDB + "changelogCheckpointing.enabled": "true"})
    return _summed(moves)


def wrong_partition_without_its_s(spark: SparkSession, moves: DataFrame) -> DataFrame:
    """spark.sql.shuffle.partition, beside the colleague's 24."""
    wrong = {n: v for n, v in RIGHT.items() if n != PARTITIONS}
    _say(spark, COLLEAGUE | wrong | {"spark.sql.shuffle.partition": "4"})
    return _summed(moves)


def wrong_input_in_four_pieces(spark: SparkSession, moves: DataFrame) -> DataFrame:
    """Leaves the 24 and deals the moves out to four partitions, by product.

    The aggregation has a shuffle of its own, of as many partitions as before.
    """
    _say(spark, RIGHT | {PARTITIONS: "24"})
    return _summed(moves.repartition(4, "product"))


def wrong_batches_to_retain(spark: SparkSession, moves: DataFrame) -> DataFrame:
    """Takes minBatchesToRetain, how many batches are kept, for the interval of the snapshots."""
    settings = {n: v for n, v in RIGHT.items() if not n.endswith("minDeltasForSnapshot")}
    _say(spark, settings | {"spark.sql.streaming.minBatchesToRetain": "20"})
    return _summed(moves)


def wrong_nineteen(spark: SparkSession, moves: DataFrame) -> DataFrame:
    """A snapshot after 19 changelogs, so that every twentieth file be one; due after 20 is asked for."""
    _say(spark, RIGHT | {STATE + "minDeltasForSnapshot": "19"})
    return _summed(moves)


def wrong_name_of_the_class_alone(spark: SparkSession, moves: DataFrame) -> DataFrame:
    """The provider without its package: there is no such class, and the query does not start."""
    _say(spark, RIGHT | {STATE + "providerClass": "RocksDBStateStoreProvider"})
    return _summed(moves)


def wrong_nulls_swept_out(spark: SparkSession, moves: DataFrame) -> DataFrame:
    """dropna() before the sum: no row for moves without a product, nor for mango in step 2."""
    _say(spark, RIGHT)
    return _summed(moves.dropna())


def wrong_zero_until_it_is_counted(spark: SparkSession, moves: DataFrame) -> DataFrame:
    """Nulls taken for 0: mango has a stock of 0 in step 2, where nobody counted it."""
    _say(spark, RIGHT)
    return _summed(moves.fillna(0, ["quantity"]))


def wrong_a_move_only_once(spark: SparkSession, moves: DataFrame) -> DataFrame:
    """Takes the same move once more for a copy, and a second operator with stores for it."""
    _say(spark, RIGHT)
    return _summed(moves.dropDuplicates())


def wrong_only_what_came_in(spark: SparkSession, moves: DataFrame) -> DataFrame:
    """Leaves out what went out: a minus is a move, too."""
    _say(spark, RIGHT)
    return _summed(moves.where("quantity IS NULL OR quantity > 0"))
