"""Ways in which an append with state is repeated, lost, or breaks the restart."""

from delta.tables import DeltaTable
from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql.streaming.readwriter import DataStreamWriter


def _counts(clicks: DataFrame) -> DataFrame:
    return clicks.where("page IS NOT NULL").groupBy("page").agg(F.count("*").alias("clicks"))


def _append(batch: DataFrame, history: str, number: int | None = None) -> None:
    """Append after the plan has run; with the number, as one that Delta recognizes."""
    batch.persist()
    batch.count()
    write = batch.write.format("delta").mode("append")
    if number is not None:
        write = write.option("txnAppId", "count_history").option("txnVersion", number)
    write.save(history)
    batch.unpersist()


def appended_without_a_number(clicks: DataFrame, history: str) -> DataStreamWriter:
    """Append that Delta cannot recognize

    After the kill the micro-batch ran again, and its rows are in the table twice. Delta skips a write only
    if it carries both txnAppId and txnVersion, and if both are the same as before the kill. A random name, a time, or
    a variable of the process is not the same. Which name can you write into the code, and which number does
    foreachBatch give you?
    """

    def write(batch: DataFrame, number: int) -> None:
        _append(batch, history)

    return _counts(clicks).writeStream.outputMode("update").foreachBatch(write)


def plan_not_run(clicks: DataFrame, history: str) -> DataStreamWriter:
    """Skipped write, so the plan of the micro-batch never ran

    After the kill Delta skipped the write. Nothing else read the micro-batch, so Spark did not compute it,
    and the state of the count was not committed. Spark found that out and stopped the query, at every restart
    again. Which two calls before the write run the whole plan once?
    """

    def write(batch: DataFrame, number: int) -> None:
        numbered = batch.write.format("delta").mode("append").option("txnAppId", "count_history")
        numbered.option("txnVersion", number).save(history)

    return _counts(clicks).writeStream.outputMode("update").foreachBatch(write)


def number_that_never_grows(clicks: DataFrame, history: str) -> DataStreamWriter:
    """The same txnVersion in each micro-batch

    The rows of step 1 are in the table, and all later ones are missing. Delta skips a write whose txnVersion is
    not greater than the last one of the same txnAppId. Which number grows by one with each micro-batch?
    """

    def write(batch: DataFrame, number: int) -> None:
        _append(batch, history, 1)

    return _counts(clicks).writeStream.outputMode("update").foreachBatch(write)


def complete_mode(clicks: DataFrame, history: str) -> DataStreamWriter:
    """All pages appended by each micro-batch

    In step 2 the table also got a row for sale, which was not clicked. Complete mode emits the whole result each
    time. Which mode emits only the pages with new clicks?
    """

    def write(batch: DataFrame, number: int) -> None:
        _append(batch, history, number)

    return _counts(clicks).writeStream.outputMode("complete").foreachBatch(write)


def each_batch_counted_alone(clicks: DataFrame, history: str) -> DataStreamWriter:
    """Aggregation of one micro-batch only

    In step 2 home has 1 click, expected 3. A groupBy in foreachBatch sees one micro-batch and keeps no state. What
    do you group, the stream or the micro-batch?
    """

    def write(batch: DataFrame, number: int) -> None:
        _append(_counts(batch), history, number)

    return clicks.writeStream.foreachBatch(write)


def clicks_without_a_page_counted(clicks: DataFrame, history: str) -> DataStreamWriter:
    """Clicks without a page counted

    The table has rows whose page is null. A null is a group of its own in groupBy, and the task does not count
    it. Where do you drop these clicks?
    """
    counts = clicks.groupBy("page").agg(F.count("*").alias("clicks"))

    def write(batch: DataFrame, number: int) -> None:
        _append(batch, history, number)

    return counts.writeStream.outputMode("update").foreachBatch(write)


def history_overwritten(clicks: DataFrame, history: str) -> DataStreamWriter:
    """History overwritten

    The table holds the rows of the last micro-batch only. An overwrite is idempotent, but it removes the
    history. Which mode adds rows?
    """

    def write(batch: DataFrame, number: int) -> None:
        batch.write.format("delta").mode("overwrite").save(history)

    return _counts(clicks).writeStream.outputMode("update").foreachBatch(write)


def merged_by_page(clicks: DataFrame, history: str) -> DataStreamWriter:
    """Only the current count of each page

    After step 2 the table has {steps.2.rows} rows, and the count of home in step 1 is gone. A MERGE by page replaces
    it, and so does complete mode with Delta's sink. The task keeps each count that a page had. What identifies a row
    of the history?
    """

    def merge(batch: DataFrame, number: int) -> None:
        table = DeltaTable.forPath(batch.sparkSession, history).alias("old")
        merging = table.merge(batch.alias("new"), "old.page = new.page")
        merging.whenMatchedUpdateAll().whenNotMatchedInsertAll().execute()

    return _counts(clicks).writeStream.outputMode("update").foreachBatch(merge)


def sink_in_update_mode(clicks: DataFrame, history: str) -> DataStreamWriter:
    """Delta's sink in update mode

    Delta's sink takes append mode and complete mode. It refuses update mode, because it does not know whether a
    row replaces another one. What can write a micro-batch in update mode, and decide that?
    """
    rows = _counts(clicks).writeStream.outputMode("update")
    return rows.format("delta").option("path", history)


def sink_in_append_mode(clicks: DataFrame, history: str) -> DataStreamWriter:
    """Count without a window in append mode

    Spark rejected the query. In append mode a count must be final, and a count of all clicks never is. Which mode
    emits a count that may change?
    """
    return _counts(clicks).writeStream.format("delta").option("path", history)
