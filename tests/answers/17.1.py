"""Answers to 17.1: other ways to keep a table up to date, and to get it wrong."""

import json
from collections.abc import Iterator

import pandas as pd
from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql.types import IntegerType, LongType, StringType, StructField, StructType

ROW = "STRUCT<order_id INT, customer STRING, status STRING, cents INT>"
CHANGE = (
    f"op STRING, before {ROW}, after {ROW}, ts_ms BIGINT, source STRUCT<lsn BIGINT, ts_ms BIGINT>"
)


def _parsed(changes: DataFrame) -> DataFrame:
    parsed = changes.select(F.from_json(F.col("value").cast("string"), CHANGE).alias("m"))
    return parsed.select("m.*").dropna(subset=["op"])


def _with_key(changes: DataFrame) -> DataFrame:
    key = F.coalesce("after.order_id", "before.order_id").alias("order_id")
    return _parsed(changes).select(key, "*")


def right_schema_as_objects(changes: DataFrame) -> DataFrame:
    """A StructType, and columns with when for a delete."""
    row = StructType(
        [
            StructField("order_id", IntegerType()),
            StructField("customer", StringType()),
            StructField("status", StringType()),
            StructField("cents", IntegerType()),
        ]
    )
    source = StructType([StructField("lsn", LongType())])
    schema = StructType(
        [
            StructField("before", row),
            StructField("after", row),
            StructField("op", StringType()),
            StructField("source", source),
        ]
    )
    e = changes.filter(F.col("value").isNotNull()).withColumn(
        "e", F.from_json(F.col("value").cast("string"), schema)
    )
    gone = F.col("e.op") == F.lit("d")
    row_now = F.when(~gone, F.col("e.after"))
    id_ = F.when(gone, F.col("e.before.order_id")).otherwise(F.col("e.after.order_id"))
    state = (
        e.withColumn("order_id", id_)
        .withColumn("row", row_now)
        .withColumn("deleted", gone)
        .groupBy("order_id")
        .agg(F.max_by(F.struct("row", "deleted"), F.col("e.source.lsn")).alias("s"))
    )
    return state.selectExpr(
        "order_id",
        "s.row.customer AS customer",
        "s.row.status AS status",
        "s.row.cents AS cents",
        "s.deleted AS deleted",
    )


def right_key_from_the_record(changes: DataFrame) -> DataFrame:
    """The key of the record names the order; the newest value is kept as text."""
    kept = changes.where("value IS NOT NULL").select(
        F.from_json(F.col("key").cast("string"), "order_id INT").order_id.alias("order_id"),
        F.col("value").cast("string").alias("text"),
        F.get_json_object(F.col("value").cast("string"), "$.source.lsn").cast("long").alias("lsn"),
    )
    newest = kept.groupBy("order_id").agg(F.max_by("text", "lsn").alias("text"))
    e = newest.select("order_id", F.from_json("text", CHANGE).alias("e"))
    return e.select(
        "order_id",
        F.col("e.after.customer").alias("customer"),
        F.col("e.after.status").alias("status"),
        F.col("e.after.cents").alias("cents"),
        F.col("e.after").isNull().alias("deleted"),
    )


def right_greatest_in_sql(changes: DataFrame) -> DataFrame:
    """max of a struct in SQL."""
    _with_key(changes).createOrReplaceTempView("shop_changes")
    return changes.sparkSession.sql(
        """
        SELECT order_id, n.after.customer, n.after.status, n.after.cents, n.op = 'd' AS deleted
        FROM (
            SELECT order_id, max(struct(source.lsn AS lsn, op, after)) AS n
            FROM shop_changes GROUP BY order_id
        )
        """
    )


def right_dicts_in_python(changes: DataFrame) -> DataFrame:
    """Python's json makes the columns, and Spark the newest row."""

    def rows(tables: Iterator[pd.DataFrame]) -> Iterator[pd.DataFrame]:
        names = ["order_id", "lsn", "customer", "status", "cents", "deleted"]
        for table in tables:
            found = []
            for value in table["value"]:
                if value is None:
                    continue
                change = json.loads(bytes(value))
                row = change["after"] or {}
                number = (change["after"] or change["before"])["order_id"]
                found.append(
                    (
                        number,
                        change["source"]["lsn"],
                        row.get("customer"),
                        row.get("status"),
                        row.get("cents"),
                        change["op"] == "d",
                    )
                )
            yield pd.DataFrame(found, columns=names, dtype=object)

    columns = "order_id INT, lsn BIGINT, customer STRING, status STRING, cents INT, deleted BOOLEAN"
    flat = changes.select("value").mapInPandas(rows, columns)
    newest = F.max_by(F.struct("customer", "status", "cents", "deleted"), "lsn").alias("n")
    return flat.groupBy("order_id").agg(newest).select("order_id", "n.*")


def wrong_end_of_the_lsn(changes: DataFrame) -> DataFrame:
    """The last digits of the log position are compared."""
    c = _with_key(changes)
    newest = F.max_by(F.struct("op", "after"), F.col("source.lsn").cast("string").substr(6, 9))
    return (
        c.groupBy("order_id")
        .agg(newest.alias("n"))
        .select(
            "order_id",
            "n.after.customer",
            "n.after.status",
            "n.after.cents",
            F.expr("n.op = 'd'").alias("deleted"),
        )
    )


def wrong_oldest(changes: DataFrame) -> DataFrame:
    """min_by in place of max_by."""
    newest = (
        _with_key(changes)
        .groupBy("order_id")
        .agg(F.min_by(F.struct("op", "after"), "source.lsn").alias("n"))
    )
    return newest.select(
        "order_id",
        "n.after.customer",
        "n.after.status",
        "n.after.cents",
        F.expr("n.op = 'd'").alias("deleted"),
    )


def wrong_max_of_each_column(changes: DataFrame) -> DataFrame:
    """The largest value of each column."""
    c = _with_key(changes)
    return c.groupBy("order_id").agg(
        F.max("after.customer").alias("customer"),
        F.max("after.status").alias("status"),
        F.max("after.cents").alias("cents"),
        F.max_by(F.col("op") == "d", "source.lsn").alias("deleted"),
    )


def wrong_last_value_that_is_not_null(changes: DataFrame) -> DataFrame:
    """max_by of each column, and nulls are left out."""
    c = _with_key(changes)
    newest = {
        name: F.max_by(
            f"after.{name}", F.when(F.col(f"after.{name}").isNotNull(), F.col("source.lsn"))
        )
        for name in ("customer", "status", "cents")
    }
    return c.groupBy("order_id").agg(
        *[column.alias(name) for name, column in newest.items()],
        F.max_by(F.col("op") == "d", "source.lsn").alias("deleted"),
    )


def wrong_duplicates_dropped_first(changes: DataFrame) -> DataFrame:
    """dropDuplicates by order and log position: the batch of a repeated change emits no row."""
    c = _with_key(changes).withColumn("lsn", F.col("source.lsn"))
    newest = (
        c.dropDuplicates(["order_id", "lsn"])
        .groupBy("order_id")
        .agg(F.max_by(F.struct("op", "after"), "lsn").alias("n"))
    )
    return newest.select(
        "order_id",
        "n.after.customer",
        "n.after.status",
        "n.after.cents",
        F.expr("n.op = 'd'").alias("deleted"),
    )


def wrong_offset_of_the_record(changes: DataFrame) -> DataFrame:
    """The offset in Kafka orders the changes."""
    parsed = changes.where("value IS NOT NULL").select(
        F.from_json(F.col("value").cast("string"), CHANGE).alias("m"), "offset"
    )
    key = F.coalesce("m.after.order_id", "m.before.order_id").alias("order_id")
    newest = parsed.groupBy(key).agg(F.max_by("m", "offset").alias("n"))
    return newest.select(
        "order_id",
        "n.after.customer",
        "n.after.status",
        "n.after.cents",
        F.expr("n.op = 'd'").alias("deleted"),
    )


def wrong_both_times(changes: DataFrame) -> DataFrame:
    """The commit time, and the connector's time among equal ones."""
    newest = (
        _with_key(changes)
        .groupBy("order_id")
        .agg(F.max_by(F.struct("op", "after"), F.struct("source.ts_ms", "ts_ms")).alias("n"))
    )
    return newest.select(
        "order_id",
        "n.after.customer",
        "n.after.status",
        "n.after.cents",
        F.expr("n.op = 'd'").alias("deleted"),
    )


def wrong_deletes_by_the_tombstone(changes: DataFrame) -> DataFrame:
    """Deletes are left out, and a tombstone makes the deleted row."""
    order = F.get_json_object(F.col("key").cast("string"), "$.order_id").cast("int")
    m = F.from_json(F.col("value").cast("string"), CHANGE)
    parsed = changes.select(order.alias("order_id"), m.alias("m"), "timestamp").where(
        "m IS NULL OR m.op <> 'd'"
    )
    newest = parsed.groupBy("order_id").agg(
        F.max_by(F.struct("m"), F.coalesce("m.source.lsn", F.lit(2**60))).alias("n")
    )
    return newest.select(
        "order_id",
        "n.m.after.customer",
        "n.m.after.status",
        "n.m.after.cents",
        F.col("n.m").isNull().alias("deleted"),
    )


def wrong_updates_only(changes: DataFrame) -> DataFrame:
    """The rows of creates are left out."""
    c = _with_key(changes).where("op IN ('r', 'u', 'd')")
    newest = c.groupBy("order_id").agg(F.max_by(F.struct("op", "after"), "source.lsn").alias("n"))
    return newest.select(
        "order_id",
        "n.after.customer",
        "n.after.status",
        "n.after.cents",
        F.expr("n.op = 'd'").alias("deleted"),
    )


def wrong_deleted_is_a_text(changes: DataFrame) -> DataFrame:
    """The operation in place of a boolean."""
    newest = (
        _with_key(changes)
        .groupBy("order_id")
        .agg(F.max_by(F.struct("op", "after"), "source.lsn").alias("n"))
    )
    return newest.select(
        "order_id",
        "n.after.customer",
        "n.after.status",
        "n.after.cents",
        F.col("n.op").alias("deleted"),
    )


def wrong_key_of_before(changes: DataFrame) -> DataFrame:
    """The number of the order before the change, if there is one."""
    key = F.coalesce("before.order_id", "after.order_id").alias("order_id")
    c = _parsed(changes).where("NOT (op = 'c' AND after.order_id > 9)").select(key, "*")
    newest = c.groupBy("order_id").agg(F.max_by(F.struct("op", "after"), "source.lsn").alias("n"))
    return newest.select(
        "order_id",
        "n.after.customer",
        "n.after.status",
        "n.after.cents",
        F.expr("n.op = 'd'").alias("deleted"),
    )
