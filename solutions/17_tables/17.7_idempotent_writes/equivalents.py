"""Other right answers: a function each, which must pass."""

from delta.tables import DeltaTable
from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql.streaming.readwriter import DataStreamWriter


def _counts(clicks: DataFrame) -> DataFrame:
    return clicks.dropna().groupBy("page").agg(F.count("page").alias("clicks"))


def inserted_if_missing(clicks: DataFrame, history: str) -> DataStreamWriter:
    """A count only grows, so page and count identify a row: MERGE inserts the rows that are missing."""

    def merge(batch: DataFrame, number: int) -> None:
        table = DeltaTable.forPath(batch.sparkSession, history).alias("old")
        same = "old.page = new.page AND old.clicks = new.clicks"
        table.merge(batch.alias("new"), same).whenNotMatchedInsertAll().execute()

    return _counts(clicks).writeStream.outputMode("update").foreachBatch(merge)


def numbered_by_the_session(clicks: DataFrame, history: str) -> DataStreamWriter:
    """Name and number as settings of the session, which hold for every command of Delta."""

    def write(batch: DataFrame, number: int) -> None:
        prefix = "spark.databricks.delta.write.txn"
        batch.persist()
        batch.count()
        batch.sparkSession.conf.set(f"{prefix}AppId", "count_history")
        batch.sparkSession.conf.set(f"{prefix}Version", str(number))
        batch.write.insertInto(f"delta.`{history}`")
        batch.unpersist()

    return _counts(clicks).writeStream.outputMode("update").foreachBatch(write)


def number_found_in_the_log(clicks: DataFrame, history: str) -> DataStreamWriter:
    """Each commit carries the number of its micro-batch as user metadata, and is looked up first."""

    def write(batch: DataFrame, number: int) -> None:
        rows = batch.collect()
        log = DeltaTable.forPath(batch.sparkSession, history).history()
        if not log.where(F.col("userMetadata") == f"micro-batch {number}").count():
            new = batch.sparkSession.createDataFrame(rows, batch.schema)
            write = new.write.format("delta").mode("append")
            write.option("userMetadata", f"micro-batch {number}").save(history)

    return _counts(clicks).writeStream.outputMode("update").foreachBatch(write)
