"""Ways in which windows reach a table twice, too early, or not at all."""

from delta.tables import DeltaTable
from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql.streaming.readwriter import DataStreamWriter


def _counts(
    clicks: DataFrame,
    delay: str = "1 minute",
    length: str = "5 minutes",
    time: str = "window.start",
) -> DataFrame:
    counts = (
        clicks.withWatermark("event_time", delay)
        .groupBy(F.window("event_time", length), "page")
        .agg(F.count("*").alias("clicks"))
    )
    return counts.select(F.col(time).alias("window_start"), "page", "clicks")


def _sink(rows: DataFrame, windows: str, mode: str = "append") -> DataStreamWriter:
    return rows.writeStream.format("delta").option("path", windows).outputMode(mode)


def _by_batch(rows: DataFrame, windows: str, mode: str, write: str = "append") -> DataStreamWriter:
    def save(batch: DataFrame, number: int) -> None:
        batch.write.format("delta").mode(write).save(windows)

    return rows.writeStream.outputMode(mode).foreachBatch(save)


def appended_in_foreach_batch(clicks: DataFrame, windows: str) -> DataStreamWriter:
    """Append that Delta cannot recognize

    After the kill the micro-batch ran again, and your function appended its rows a second time. Delta
    recognizes a repeated write only by a `txn` in the table's log, and a plain append writes none. Which sink
    writes it by itself?
    """
    return _by_batch(_counts(clicks), windows, "append")


def skipped_write_without_the_plan(clicks: DataFrame, windows: str) -> DataStreamWriter:
    """Skipped write, so the plan of the micro-batch never ran

    After the kill Delta skipped the write, because txnAppId and txnVersion were in the table's log. So
    Spark never computed the micro-batch, and its state was not committed. Either run the plan before
    the write, with persist() and count(), or use the sink that does not need foreachBatch. Which sink
    is that?
    """

    def save(batch: DataFrame, number: int) -> None:
        write = batch.write.format("delta").mode("append").option("txnAppId", "page_windows")
        write.option("txnVersion", number).save(windows)

    return _counts(clicks).writeStream.foreachBatch(save)


def nulls_never_match(clicks: DataFrame, windows: str) -> DataStreamWriter:
    """Null keys compared with =

    After the kill the micro-batch ran again. Its row whose page is null is in the table twice, the others once. With `=`,
    a MERGE or a join finds no partner for a null, so the row is inserted again. Which comparison says that null equals
    null? And which sink needs no comparison?
    """

    def merge(batch: DataFrame, number: int) -> None:
        table = DeltaTable.forPath(batch.sparkSession, windows).alias("old")
        same = "old.window_start = new.window_start AND old.page = new.page"
        merging = table.merge(batch.alias("new"), same)
        merging.whenMatchedUpdateAll().whenNotMatchedInsertAll().execute()

    return _counts(clicks).writeStream.foreachBatch(merge)


def overwritten_by_each_batch(clicks: DataFrame, windows: str) -> DataStreamWriter:
    """Table overwritten by each micro-batch

    The table holds only the rows of the last micro-batch, and the windows before it are gone. A
    micro-batch in append mode contains new rows only. Which write keeps the old ones?
    """
    return _by_batch(_counts(clicks), windows, "append", "overwrite")


def update_mode_appended(clicks: DataFrame, windows: str) -> DataStreamWriter:
    """Update mode, and each new count appended

    The table has several rows of one window, one for each micro-batch that changed its count. Update
    mode emits a window whenever its count changes. Which mode emits it once, when it has closed?
    """
    return _by_batch(_counts(clicks), windows, "update")


def complete_mode(clicks: DataFrame, windows: str) -> DataStreamWriter:
    """Complete mode: all windows, open or closed

    After step 1 your table has {steps.1.rows} rows, although no window has closed. Complete mode writes the
    whole result in each micro-batch, and never evicts state. Which mode waits for the watermark?
    """
    return _sink(_counts(clicks), windows, "complete")


def windows_without_a_watermark(clicks: DataFrame, windows: str) -> DataStreamWriter:
    """No watermark before the aggregation

    Spark rejected the query. In append mode it must know when a window is final, and only a watermark on
    `event_time` says so. Where must withWatermark be in the query?
    """
    counts = clicks.groupBy(F.window("event_time", "5 minutes"), "page").agg(
        F.count("*").alias("clicks")
    )
    rows = counts.select(F.col("window.start").alias("window_start"), "page", "clicks")
    return _sink(rows, windows)


def delay_as_long_as_the_window(clicks: DataFrame, windows: str) -> DataStreamWriter:
    """Watermark delay as long as the window

    In step 2 your watermark was {steps.2.watermark}, expected {asked.steps.2.watermark}. The delay says
    how late a click may be. A window waits for its own end anyway. Which number in the task is the delay?
    """
    return _sink(_counts(clicks, delay="5 minutes"), windows)


def no_delay(clicks: DataFrame, windows: str) -> DataStreamWriter:
    """Watermark without a delay

    In step 2 your watermark was {steps.2.watermark}, expected {asked.steps.2.watermark}. It is the time of the
    newest click of step 1, so every older click is late. How late may a click be?
    """
    return _sink(_counts(clicks, delay="0 seconds"), windows)


def length_and_delay_swapped(clicks: DataFrame, windows: str) -> DataStreamWriter:
    """Window length and delay swapped

    Your windows are 1 minute long, and in step 2 your watermark was {steps.2.watermark}, expected
    {asked.steps.2.watermark}. The task has both durations, the other way round. Which one is the length?
    """
    return _sink(_counts(clicks, delay="5 minutes", length="1 minute"), windows)


def named_by_the_end(clicks: DataFrame, windows: str) -> DataStreamWriter:
    """End of the window in the column window_start

    All counts are right, and each time is 5 minutes later than expected. The struct `window` has two
    fields. Which one is the start?
    """
    return _sink(_counts(clicks, time="window.end"), windows)


def clicks_without_a_page_dropped(clicks: DataFrame, windows: str) -> DataStreamWriter:
    """Clicks without a page dropped

    The rows whose page is null are missing. A null is a group of its own in groupBy. Which part of your
    query drops these clicks?
    """
    return _sink(_counts(clicks.where(F.col("page").isNotNull())), windows)


def page_column_counted(clicks: DataFrame, windows: str) -> DataStreamWriter:
    """Count of a column that can be null

    The windows whose page is null have 0 clicks. The function count(column) counts values that are not
    null. What counts rows?
    """
    counts = (
        clicks.withWatermark("event_time", "1 minute")
        .groupBy(F.window("event_time", "5 minutes"), "page")
        .agg(F.count("page").alias("clicks"))
    )
    return _sink(
        counts.select(F.col("window.start").alias("window_start"), "page", "clicks"), windows
    )


def each_batch_grouped_alone(clicks: DataFrame, windows: str) -> DataStreamWriter:
    """Aggregation inside foreachBatch

    A window whose clicks are in two micro-batches has two rows, and rows appear before their window has
    closed. In foreachBatch the DataFrame has the rows of one micro-batch, and groupBy keeps no state. What
    do you group, the stream or the micro-batch?
    """

    def save(batch: DataFrame, number: int) -> None:
        counts = batch.groupBy(F.window("event_time", "5 minutes"), "page").agg(
            F.count("*").alias("clicks")
        )
        rows = counts.select(F.col("window.start").alias("window_start"), "page", "clicks")
        rows.write.format("delta").mode("append").save(windows)

    return clicks.withWatermark("event_time", "1 minute").writeStream.foreachBatch(save)
