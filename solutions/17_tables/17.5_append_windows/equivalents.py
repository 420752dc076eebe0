"""Other right answers: a function each, which must pass."""

from delta.tables import DeltaTable
from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql.streaming.readwriter import DataStreamWriter


def _rows(clicks: DataFrame) -> DataFrame:
    counts = (
        clicks.withWatermark("event_time", "60 seconds")
        .groupBy("page", F.window("event_time", "5 minutes"))
        .count()
    )
    return counts.selectExpr("window.start AS window_start", "page", "count AS clicks")


def inserted_if_missing(clicks: DataFrame, windows: str) -> DataStreamWriter:
    """MERGE by window and page inserts the rows that are not in the table."""

    def merge(batch: DataFrame, number: int) -> None:
        same = "old.window_start = new.window_start AND old.page <=> new.page"
        table = DeltaTable.forPath(batch.sparkSession, windows).alias("old")
        table.merge(batch.alias("new"), same).whenNotMatchedInsertAll().execute()

    return _rows(clicks).writeStream.foreachBatch(merge)


def numbered_append(clicks: DataFrame, windows: str) -> DataStreamWriter:
    """The plan runs first, then an append with the number of the micro-batch."""

    def save(batch: DataFrame, number: int) -> None:
        batch.persist()
        batch.count()
        options = {"txnAppId": "page_windows", "txnVersion": str(number)}
        batch.write.format("delta").mode("append").options(**options).save(windows)
        batch.unpersist()

    return _rows(clicks).writeStream.foreachBatch(save)


def in_sql(clicks: DataFrame, windows: str) -> DataStreamWriter:
    """The counts in SQL, and the sink with its path."""
    clicks.withWatermark("event_time", "1 minute").createOrReplaceTempView("timed_clicks")
    rows = clicks.sparkSession.sql(
        "SELECT window.start AS window_start, page, count(*) AS clicks FROM timed_clicks "
        "GROUP BY window(event_time, '5 minutes'), page"
    )
    return rows.writeStream.outputMode("append").format("delta").option("path", windows)
