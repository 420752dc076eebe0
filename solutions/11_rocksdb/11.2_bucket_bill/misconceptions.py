"""Repairs of the stock query that do not lower the bill, or only half of it."""

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

STATE = "spark.sql.streaming.stateStore."
ROCKSDB = STATE + "rocksdb."
RIGHT = {
    STATE
    + "providerClass": "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider",
    ROCKSDB + "changelogCheckpointing.enabled": "true",
    STATE + "minDeltasForSnapshot": "20",
    "spark.sql.shuffle.partitions": "4",
}


def _stock(spark: SparkSession, moves: DataFrame, settings: dict[str, str]) -> DataFrame:
    for name, value in settings.items():
        spark.conf.set(name, value)
    return moves.groupBy("product").agg(F.sum("quantity").alias("stock"))


def as_it_was(spark: SparkSession, moves: DataFrame) -> DataFrame:
    """Three faults left as they were

    There are {facts.stores} stores, and each writes a snapshot at every commit:
    {facts.no_snapshots} files ending in .zip for a few moves. Three settings are still missing:
    the number of stores, changelogs, and the interval of snapshots. Which keys of the original
    query does Spark never read?
    """
    return _stock(
        spark,
        moves,
        {
            "spark.sql.shuffle.partitions": "24",
            STATE + "providerClass": RIGHT[STATE + "providerClass"],
            ROCKSDB + "changelogCheckpointing": "true",
            ROCKSDB + "minDeltasForSnapshot": "20",
        },
    )


def fewer_stores_alone(spark: SparkSession, moves: DataFrame) -> DataFrame:
    """Snapshot at every commit

    There are four stores now, and {facts.no_snapshots} .zip files: each commit still writes a
    snapshot of every store. RocksDB writes changelogs under one key only. Is yours complete,
    including its last word?
    """
    settings = {n: v for n, v in RIGHT.items() if n != ROCKSDB + "changelogCheckpointing.enabled"}
    return _stock(spark, moves, {**settings, ROCKSDB + "changelogCheckpointing": "true"})


def fewer_stores_and_nothing_else(spark: SparkSession, moves: DataFrame) -> DataFrame:
    """Number of stores as the only repair

    There are four stores now, and {facts.no_snapshots} .zip files. Each store writes a snapshot
    at each commit, because no setting that Spark reads asks for changelogs. The interval is
    {facts.interval}, Spark's default. Which of your keys does Spark never read?
    """
    settings = {
        "spark.sql.shuffle.partitions": "4",
        STATE + "providerClass": RIGHT[STATE + "providerClass"],
        ROCKSDB + "changelogCheckpointing": "true",
        ROCKSDB + "minDeltasForSnapshot": "20",
    }
    return _stock(spark, moves, settings)


def changelogs_and_nothing_else(spark: SparkSession, moves: DataFrame) -> DataFrame:
    """Changelogs as the only repair

    The commits write changelogs, into {facts.stores} stores, and a snapshot is due after
    {facts.interval} of them, Spark's default. Two settings are still missing: the number of
    stores, and the interval under the key that Spark reads. Which keys are these?
    """
    settings = {
        "spark.sql.shuffle.partitions": "24",
        STATE + "providerClass": RIGHT[STATE + "providerClass"],
        ROCKSDB + "changelogCheckpointing.enabled": "true",
        ROCKSDB + "minDeltasForSnapshot": "20",
    }
    return _stock(spark, moves, settings)


def interval_among_rocksdbs_settings(spark: SparkSession, moves: DataFrame) -> DataFrame:
    """Snapshot interval left at its default

    Each commit writes changelogs, and a snapshot is due after {facts.interval} of them, Spark's
    default. The interval belongs to all state stores, also to those of the default provider.
    Which word does its key therefore not contain?
    """
    settings = {n: v for n, v in RIGHT.items() if n != STATE + "minDeltasForSnapshot"}
    return _stock(spark, moves, {**settings, ROCKSDB + "minDeltasForSnapshot": "20"})


def as_many_stores_as_before(spark: SparkSession, moves: DataFrame) -> DataFrame:
    """Number of stores unchanged

    The commits write changelogs, into {facts.stores} stores. Each store writes a file at each
    commit, even if nothing has changed in it. Which setting gives the number of stores?
    """
    return _stock(spark, moves, {**RIGHT, "spark.sql.shuffle.partitions": "24"})


def no_word_of_the_partitions(spark: SparkSession, moves: DataFrame) -> DataFrame:
    """Number of stores taken from the session

    There are {facts.stores} stores; four are required. If your function does not set the number
    of shuffle partitions, the query takes the session's, and the checkpoint pins it. Which
    setting is missing?
    """
    settings = {n: v for n, v in RIGHT.items() if n != "spark.sql.shuffle.partitions"}
    return _stock(spark, moves, settings)


def back_to_the_heap(spark: SparkSession, moves: DataFrame) -> DataFrame:
    """Default provider instead of RocksDB

    The commits write neither .zip nor .changelog files. The state is in the default provider, on
    the JVM heap, whose stores write a .delta file at every commit. Each commit is as cheap as
    with changelogs, but all state is in the executor's memory again. Which setting chooses the
    provider?
    """
    settings = {n: v for n, v in RIGHT.items() if n != STATE + "providerClass"}
    return _stock(spark, moves, settings)


def a_snapshot_after_a_thousand(spark: SparkSession, moves: DataFrame) -> DataFrame:
    """Snapshot interval longer than required

    Each commit writes changelogs, and a snapshot is due after {facts.interval} of them; 20 are
    required. The fewer snapshots there are, the more changelogs a restart has to replay. Which
    value does your setting have?
    """
    return _stock(spark, moves, {**RIGHT, STATE + "minDeltasForSnapshot": "1000"})


def zero_until_counted(spark: SparkSession, moves: DataFrame) -> DataFrame:
    """Stock of 0 for a product that was never counted

    A product whose quantities are all null has a stock of 0. Nothing is known about its stock,
    and `sum` says so with null. Where does your query turn null into 0?
    """
    counted = moves.withColumn("quantity", F.coalesce("quantity", F.lit(0)))
    return _stock(spark, counted, RIGHT)


def moves_without_a_product_left_out(spark: SparkSession, moves: DataFrame) -> DataFrame:
    """Moves without a product left out

    The group of the moves without a product is missing. In `groupBy` null is a group of its own,
    and the original query emits its stock, too. Which step of your query removes these moves?
    """
    return _stock(spark, moves.where("product IS NOT NULL"), RIGHT)
