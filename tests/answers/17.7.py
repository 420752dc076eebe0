"""Answers to 17.7, idempotent appends with state: right ones by other routes, and wrong ones."""

import time
import uuid
from typing import Any

from delta.tables import DeltaTable
from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql.streaming.readwriter import DataStreamWriter


def _counts(clicks: DataFrame) -> DataFrame:
    return clicks.where("page IS NOT NULL").groupBy("page").agg(F.count("*").alias("clicks"))


def _updates(clicks: DataFrame, write: Any) -> DataStreamWriter:
    return _counts(clicks).writeStream.outputMode("update").foreachBatch(write)


def _numbered(rows: DataFrame, history: str, name: str, number: int) -> None:
    save = rows.write.format("delta").mode("append")
    save.option("txnAppId", name).option("txnVersion", number).save(history)


def right_collects_first(clicks: DataFrame, history: str) -> DataStreamWriter:
    """Collects the micro-batch, which runs its plan, and appends what it collected."""

    def write(batch: DataFrame, number: int) -> None:
        rows = batch.sparkSession.createDataFrame(batch.collect(), batch.schema)
        _numbered(rows, history, "history", number)

    return _updates(clicks, write)


def right_counts_without_persist(clicks: DataFrame, history: str) -> DataStreamWriter:
    """Computes the micro-batch twice."""

    def write(batch: DataFrame, number: int) -> None:
        batch.count()
        _numbered(batch, history, "history", number)

    return _updates(clicks, write)


def right_writes_to_noop_first(clicks: DataFrame, history: str) -> DataStreamWriter:
    """Runs the plan with a write that keeps nothing; the number counts from 1."""

    def write(batch: DataFrame, number: int) -> None:
        batch.cache()
        batch.write.format("noop").mode("overwrite").save()
        _numbered(batch, history, f"history of {history}", number + 1)
        batch.unpersist()

    return _updates(clicks, write)


def right_skips_rows_that_are_there(clicks: DataFrame, history: str) -> DataStreamWriter:
    """Appends what an anti join with the table leaves."""

    def write(batch: DataFrame, number: int) -> None:
        there = batch.sparkSession.read.format("delta").load(history)
        new = batch.join(there, ["page", "clicks"], "left_anti")
        new.write.format("delta").mode("append").save(history)

    return _updates(clicks, write)


def right_checkpoints_locally(clicks: DataFrame, history: str) -> DataStreamWriter:
    """localCheckpoint runs the plan, and the write reads its result."""

    def write(batch: DataFrame, number: int) -> None:
        _numbered(batch.localCheckpoint(), history, "history", number)

    return _updates(clicks, write)


def wrong_random_name(clicks: DataFrame, history: str) -> DataStreamWriter:
    """A new name at each start."""
    name = str(uuid.uuid4())

    def write(batch: DataFrame, number: int) -> None:
        batch.persist().count()
        _numbered(batch, history, name, number)

    return _updates(clicks, write)


def wrong_time_as_number(clicks: DataFrame, history: str) -> DataStreamWriter:
    """The time of the write as its number."""

    def write(batch: DataFrame, number: int) -> None:
        batch.persist().count()
        _numbered(batch, history, "history", time.time_ns())

    return _updates(clicks, write)


def wrong_persist_without_an_action(clicks: DataFrame, history: str) -> DataStreamWriter:
    """persist() alone runs nothing."""

    def write(batch: DataFrame, number: int) -> None:
        batch.persist()
        _numbered(batch, history, "history", number)
        batch.unpersist()

    return _updates(clicks, write)


def right_asks_whether_it_is_empty(clicks: DataFrame, history: str) -> DataStreamWriter:
    """isEmpty() runs the plan to its end, so the state is committed also if Delta skips the write."""

    def write(batch: DataFrame, number: int) -> None:
        if not batch.isEmpty():
            _numbered(batch, history, "history", number)

    return _updates(clicks, write)


def wrong_distinct_rows(clicks: DataFrame, history: str) -> DataStreamWriter:
    """Appends without a number, and removes equal rows of the micro-batch."""

    def write(batch: DataFrame, number: int) -> None:
        batch.distinct().write.format("delta").mode("append").save(history)

    return _updates(clicks, write)


def wrong_only_the_name(clicks: DataFrame, history: str) -> DataStreamWriter:
    """A name without a number."""

    def write(batch: DataFrame, number: int) -> None:
        batch.persist().count()
        save = batch.write.format("delta").mode("append")
        save.option("txnAppId", "history").save(history)

    return _updates(clicks, write)


def wrong_numbers_in_a_set(clicks: DataFrame, history: str) -> DataStreamWriter:
    """Remembers in the process which micro-batches it has written."""
    written: set[int] = set()

    def write(batch: DataFrame, number: int) -> None:
        batch.persist().count()
        if number not in written:
            batch.write.format("delta").mode("append").save(history)
            written.add(number)

    return _updates(clicks, write)


def wrong_number_of_rows(clicks: DataFrame, history: str) -> DataStreamWriter:
    """The number of rows of the table as the number of the write."""

    def write(batch: DataFrame, number: int) -> None:
        batch.persist().count()
        rows = batch.sparkSession.read.format("delta").load(history).count()
        _numbered(batch, history, "history", rows)

    return _updates(clicks, write)


def wrong_skipped_by_number(clicks: DataFrame, history: str) -> DataStreamWriter:
    """Takes a micro-batch for written if the table has more versions than it has a number."""

    def write(batch: DataFrame, number: int) -> None:
        batch.persist().count()
        log = DeltaTable.forPath(batch.sparkSession, history).history()
        if log.agg(F.max("version")).head()[0] < number:
            batch.write.format("delta").mode("append").save(history)

    return _updates(clicks, write)


def wrong_null_counted(clicks: DataFrame, history: str) -> DataStreamWriter:
    """A page that is null gets a name and is counted."""

    def write(batch: DataFrame, number: int) -> None:
        batch.persist().count()
        _numbered(batch, history, "history", number)

    return _updates(clicks.fillna("unknown"), write)
