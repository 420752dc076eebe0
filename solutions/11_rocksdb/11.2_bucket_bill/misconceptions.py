"""Repairs of the stock query that leave the bill as it is, or half of it."""

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
    """The bill as it was

    There are {facts.stores} stores, and each writes a snapshot at each commit: {facts.no_snapshots} files
    ending in .zip for a handful of moves. Three things are still to be said: into how many stores, that a
    commit writes changes, and after how many of them a snapshot is due. A key that nobody reads says nothing.
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
    """Fewer stores, and still a snapshot at each commit

    There are four stores now, and {facts.no_snapshots} .zip files: each commit still writes a snapshot of
    every store. Is the key by which a commit writes changes right to its last word?
    """
    settings = {n: v for n, v in RIGHT.items() if n != ROCKSDB + "changelogCheckpointing.enabled"}
    return _stock(spark, moves, {**settings, ROCKSDB + "changelogCheckpointing": "true"})


def fewer_stores_and_nothing_else(spark: SparkSession, moves: DataFrame) -> DataFrame:
    """Fewer stores, and nothing else

    There are four stores now, and {facts.no_snapshots} .zip files. Each store writes a snapshot at each
    commit: nothing that Spark reads says that it shall write changes. The interval is {facts.interval}, as in
    Spark's default. Which of your keys are read by nobody?
    """
    settings = {
        "spark.sql.shuffle.partitions": "4",
        STATE + "providerClass": RIGHT[STATE + "providerClass"],
        ROCKSDB + "changelogCheckpointing": "true",
        ROCKSDB + "minDeltasForSnapshot": "20",
    }
    return _stock(spark, moves, settings)


def changelogs_and_nothing_else(spark: SparkSession, moves: DataFrame) -> DataFrame:
    """Changelogs, and nothing else

    The commits write changes, into {facts.stores} stores, and a snapshot is due after {facts.interval} of them,
    as in Spark's default. Two things are still to be said: into how many stores, and under which key the
    interval is read.
    """
    settings = {
        "spark.sql.shuffle.partitions": "24",
        STATE + "providerClass": RIGHT[STATE + "providerClass"],
        ROCKSDB + "changelogCheckpointing.enabled": "true",
        ROCKSDB + "minDeltasForSnapshot": "20",
    }
    return _stock(spark, moves, settings)


def interval_among_rocksdbs_settings(spark: SparkSession, moves: DataFrame) -> DataFrame:
    """Changelogs, with snapshots as often as by default

    Each commit writes changelogs, and a snapshot is due after {facts.interval} of them, which is what Spark takes
    where nothing else is said. The interval is a setting of all state stores, also of the one on the heap.
    """
    settings = {n: v for n, v in RIGHT.items() if n != STATE + "minDeltasForSnapshot"}
    return _stock(spark, moves, {**settings, ROCKSDB + "minDeltasForSnapshot": "20"})


def as_many_stores_as_before(spark: SparkSession, moves: DataFrame) -> DataFrame:
    """Changelogs of too many stores

    The commits write changes, into {facts.stores} stores. Each store writes a file at each commit, also
    one in which nothing has changed.
    """
    return _stock(spark, moves, {**RIGHT, "spark.sql.shuffle.partitions": "24"})


def no_word_of_the_partitions(spark: SparkSession, moves: DataFrame) -> DataFrame:
    """As many stores as the session happens to have partitions

    There are {facts.stores} stores; four are asked for. A number that nobody says is the session's, and the
    checkpoint then keeps it for life.
    """
    settings = {n: v for n, v in RIGHT.items() if n != "spark.sql.shuffle.partitions"}
    return _stock(spark, moves, settings)


def back_to_the_heap(spark: SparkSession, moves: DataFrame) -> DataFrame:
    """Small files, from the heap

    The commits write neither .zip nor .changelog files: the state lies on the Java heap, whose store
    writes a .delta file for each store at every commit. The bill is that of changelogs, and the state
    is back in the executor's memory.
    """
    settings = {n: v for n, v in RIGHT.items() if n != STATE + "providerClass"}
    return _stock(spark, moves, settings)


def a_snapshot_after_a_thousand(spark: SparkSession, moves: DataFrame) -> DataFrame:
    """A snapshot hardly ever

    Each commit writes changelogs, and a snapshot is due after {facts.interval} of them; 20 are asked for. The
    fewer snapshots, the more changelogs a restart has to replay.
    """
    return _stock(spark, moves, {**RIGHT, STATE + "minDeltasForSnapshot": "1000"})
