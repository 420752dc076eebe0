"""Answers to 17.5, windows appended to a table: right ones by other routes, and wrong ones."""

import uuid

from delta.tables import DeltaTable
from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql.streaming.readwriter import DataStreamWriter


def _rows(clicks: DataFrame, delay: str = "1 minute", length: str = "5 minutes") -> DataFrame:
    counts = (
        clicks.withWatermark("event_time", delay)
        .groupBy(F.window("event_time", length), "page")
        .agg(F.count("*").alias("clicks"))
    )
    return counts.select(F.col("window.start").alias("window_start"), "page", "clicks")


def _sink(rows: DataFrame, windows: str) -> DataStreamWriter:
    return rows.writeStream.format("delta").option("path", windows)


def right_merges_schemas_and_names_its_query(clicks: DataFrame, windows: str) -> DataStreamWriter:
    """The sink, with options that change nothing here."""
    named = _rows(clicks).writeStream.queryName("page_windows").outputMode("append")
    return named.format("delta").option("mergeSchema", "true").option("path", windows)


def right_replaces_its_windows(clicks: DataFrame, windows: str) -> DataStreamWriter:
    """Overwrites the windows that the micro-batch has, and no others."""

    def write(batch: DataFrame, number: int) -> None:
        starts = sorted({row.window_start for row in batch.collect()})
        if starts:
            times = ", ".join(f"TIMESTAMP '{start}'" for start in starts)
            save = batch.write.format("delta").mode("overwrite")
            save.option("replaceWhere", f"window_start IN ({times})").save(windows)

    return _rows(clicks).writeStream.foreachBatch(write)


def right_counts_first_and_does_not_persist(clicks: DataFrame, windows: str) -> DataStreamWriter:
    """Runs the micro-batch twice, and appends it with its number."""

    def write(batch: DataFrame, number: int) -> None:
        batch.count()
        save = batch.write.format("delta").mode("append").option("txnAppId", "w")
        save.option("txnVersion", number).save(windows)

    return _rows(clicks).writeStream.foreachBatch(write)


def right_looks_first(clicks: DataFrame, windows: str) -> DataStreamWriter:
    """Appends what an anti join with the table leaves; two nulls are equal."""

    def write(batch: DataFrame, number: int) -> None:
        there = batch.sparkSession.read.format("delta").load(windows).alias("old")
        same = F.expr("old.window_start = new.window_start AND old.page <=> new.page")
        new = batch.alias("new").join(there, same, "left_anti")
        new.write.format("delta").mode("append").save(windows)

    return _rows(clicks).writeStream.foreachBatch(write)


def wrong_anti_join_without_nulls(clicks: DataFrame, windows: str) -> DataStreamWriter:
    """Looks first, but a null page is never found."""

    def write(batch: DataFrame, number: int) -> None:
        there = batch.sparkSession.read.format("delta").load(windows)
        new = batch.join(there, ["window_start", "page"], "left_anti")
        new.write.format("delta").mode("append").save(windows)

    return _rows(clicks).writeStream.foreachBatch(write)


def wrong_merge_without_nulls(clicks: DataFrame, windows: str) -> DataStreamWriter:
    """Inserts what is missing, and a null page is always missing."""

    def merge(batch: DataFrame, number: int) -> None:
        same = "old.window_start = new.window_start AND old.page = new.page"
        table = DeltaTable.forPath(batch.sparkSession, windows).alias("old")
        table.merge(batch.alias("new"), same).whenNotMatchedInsertAll().execute()

    return _rows(clicks).writeStream.foreachBatch(merge)


def wrong_new_name_at_each_start(clicks: DataFrame, windows: str) -> DataStreamWriter:
    """Numbers its writes under a name that no restart knows."""
    name = str(uuid.uuid4())

    def write(batch: DataFrame, number: int) -> None:
        batch.persist().count()
        save = batch.write.format("delta").mode("append").option("txnAppId", name)
        save.option("txnVersion", number).save(windows)

    return _rows(clicks).writeStream.foreachBatch(write)


def wrong_numbers_in_a_set(clicks: DataFrame, windows: str) -> DataStreamWriter:
    """Remembers in the process which micro-batches it has written."""
    written: set[int] = set()

    def write(batch: DataFrame, number: int) -> None:
        if number not in written:
            batch.write.format("delta").mode("append").save(windows)
            written.add(number)

    return _rows(clicks).writeStream.foreachBatch(write)


def wrong_current_counts(clicks: DataFrame, windows: str) -> DataStreamWriter:
    """Update mode and MERGE: the table shows open windows, too."""

    def merge(batch: DataFrame, number: int) -> None:
        same = "old.window_start = new.window_start AND old.page <=> new.page"
        table = DeltaTable.forPath(batch.sparkSession, windows).alias("old")
        merging = table.merge(batch.alias("new"), same).whenMatchedUpdateAll()
        merging.whenNotMatchedInsertAll().execute()

    return _rows(clicks).writeStream.outputMode("update").foreachBatch(merge)


def wrong_a_minute_and_a_second(clicks: DataFrame, windows: str) -> DataStreamWriter:
    """A delay that is one second longer."""
    return _sink(_rows(clicks, delay="61 seconds"), windows)


def wrong_two_minutes(clicks: DataFrame, windows: str) -> DataStreamWriter:
    """A delay of two minutes, to be safe."""
    return _sink(_rows(clicks, delay="2 minutes"), windows)


def wrong_ten_minutes(clicks: DataFrame, windows: str) -> DataStreamWriter:
    """Windows of ten minutes."""
    return _sink(_rows(clicks, length="10 minutes"), windows)


def wrong_equal_clicks_once(clicks: DataFrame, windows: str) -> DataStreamWriter:
    """Two clicks on a page in the same second are taken for one."""
    once = clicks.withWatermark("event_time", "1 minute").dropDuplicates(["page", "event_time"])
    counts = once.groupBy(F.window("event_time", "5 minutes"), "page").agg(
        F.count("*").alias("clicks")
    )
    return _sink(
        counts.select(F.col("window.start").alias("window_start"), "page", "clicks"), windows
    )


def wrong_started(clicks: DataFrame, windows: str) -> DataStreamWriter:
    """Starts the query itself."""
    return (
        _rows(clicks)
        .writeStream.option("checkpointLocation", windows + "-c")
        .toTable(f"delta.`{windows}`")
    )
