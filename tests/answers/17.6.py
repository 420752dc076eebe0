"""Answers to 17.6, an upsert with MERGE: right ones by other routes, and wrong ones."""

from typing import Any

from delta.tables import DeltaTable
from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as F
from pyspark.sql.streaming.readwriter import DataStreamWriter

SAME = "old.customer <=> new.customer"


def _by_customer(orders: DataFrame) -> DataFrame:
    return orders.groupBy("customer").agg(
        F.count("*").alias("orders"),
        F.max_by("city", "order_time").alias("city"),
        F.max("order_time").alias("last_order"),
    )


def _upsert(batch: DataFrame, customers: str, rows: DataFrame | None = None) -> Any:
    table = DeltaTable.forPath(batch.sparkSession, customers).alias("old")
    return table.merge((batch if rows is None else rows).alias("new"), SAME)


def right_names_each_column(orders: DataFrame, customers: str) -> DataStreamWriter:
    """Each column is set by name; a micro-batch without rows is skipped after a count."""
    names = ["customer", "orders", "city", "last_order"]

    def merge(batch: DataFrame, number: int) -> None:
        batch.persist()
        if batch.count():
            new = {name: f"new.{name}" for name in names}
            merging = _upsert(batch, customers).whenMatchedUpdate(set=new)
            merging.whenNotMatchedInsert(values=new).execute()
        batch.unpersist()

    return _by_customer(orders).writeStream.outputMode("update").foreachBatch(merge)


def right_all_customers_each_time(orders: DataFrame, customers: str) -> DataStreamWriter:
    """Complete mode, and the table is overwritten."""

    def overwrite(batch: DataFrame, number: int) -> None:
        batch.write.format("delta").mode("overwrite").save(customers)

    return _by_customer(orders).writeStream.outputMode("complete").foreachBatch(overwrite)


def right_deletes_and_appends(orders: DataFrame, customers: str) -> DataStreamWriter:
    """Deletes the customers of the micro-batch and appends them; both may happen twice."""

    def replace(batch: DataFrame, number: int) -> None:
        batch.persist().count()
        _upsert(batch, customers).whenMatchedDelete().execute()
        there = batch.sparkSession.read.format("delta").load(customers).alias("old")
        new = batch.alias("new").join(there, F.expr(SAME), "left_anti")
        new.write.format("delta").mode("append").save(customers)
        batch.unpersist()

    return _by_customer(orders).writeStream.outputMode("update").foreachBatch(replace)


def right_adds_once_by_number(orders: DataFrame, customers: str) -> DataStreamWriter:
    """Adds to the table, and its commit has the number of the micro-batch: a rerun is skipped."""

    def merge(batch: DataFrame, number: int) -> None:
        conf = batch.sparkSession.conf
        conf.set("spark.databricks.delta.write.txnAppId", "customers")
        conf.set("spark.databricks.delta.write.txnVersion", str(number))
        later = "new.last_order > old.last_order"
        merging = _upsert(batch, customers, _by_customer(batch)).whenMatchedUpdate(
            set={
                "orders": "old.orders + new.orders",
                "city": f"CASE WHEN {later} THEN new.city ELSE old.city END",
                "last_order": "greatest(old.last_order, new.last_order)",
            }
        )
        merging.whenNotMatchedInsertAll().execute()

    return orders.writeStream.foreachBatch(merge)


def wrong_guests_by_a_name(orders: DataFrame, customers: str) -> DataStreamWriter:
    """Guests get a name, so that = finds them."""

    def merge(batch: DataFrame, number: int) -> None:
        merging = _upsert(batch, customers).whenMatchedUpdateAll()
        merging.whenNotMatchedInsertAll().execute()

    named = _by_customer(orders.fillna("guest", ["customer"]))
    return named.writeStream.outputMode("update").foreachBatch(merge)


def wrong_only_if_the_order_is_newer(orders: DataFrame, customers: str) -> DataStreamWriter:
    """Updates a customer only if the newest order changed: the count of an older one is lost."""

    def merge(batch: DataFrame, number: int) -> None:
        newer = "new.last_order > old.last_order"
        merging = _upsert(batch, customers).whenMatchedUpdateAll(newer)
        merging.whenNotMatchedInsertAll().execute()

    return _by_customer(orders).writeStream.outputMode("update").foreachBatch(merge)


def wrong_rank_with_ties(orders: DataFrame, customers: str) -> DataStreamWriter:
    """The newest orders of each customer in the micro-batch by rank(): two of the same second stay."""

    def merge(batch: DataFrame, number: int) -> None:
        newest_first = Window.partitionBy("customer").orderBy(F.desc("order_time"))
        counted = batch.withColumn("orders", F.count("*").over(Window.partitionBy("customer")))
        newest = counted.withColumn("rank", F.rank().over(newest_first)).where("rank = 1")
        rows = newest.selectExpr("customer", "orders", "city", "order_time AS last_order")
        sums = {
            "orders": "old.orders + new.orders",
            "city": "CASE WHEN new.last_order > old.last_order THEN new.city ELSE old.city END",
            "last_order": "greatest(old.last_order, new.last_order)",
        }
        merging = _upsert(batch, customers, rows).whenMatchedUpdate(set=sums)
        merging.whenNotMatchedInsertAll().execute()

    return orders.writeStream.foreachBatch(merge)


def wrong_equal_orders_once(orders: DataFrame, customers: str) -> DataStreamWriter:
    """Two equal orders are taken for one."""

    def merge(batch: DataFrame, number: int) -> None:
        merging = _upsert(batch, customers).whenMatchedUpdateAll()
        merging.whenNotMatchedInsertAll().execute()

    once = _by_customer(orders.dropDuplicates())
    return once.writeStream.outputMode("update").foreachBatch(merge)


def wrong_old_city_if_none(orders: DataFrame, customers: str) -> DataStreamWriter:
    """A city that is null does not replace the one in the table."""

    def merge(batch: DataFrame, number: int) -> None:
        new = {name: f"new.{name}" for name in ("orders", "last_order")}
        kept = {**new, "city": "coalesce(new.city, old.city)"}
        merging = _upsert(batch, customers).whenMatchedUpdate(set=kept)
        merging.whenNotMatchedInsertAll().execute()

    return _by_customer(orders).writeStream.outputMode("update").foreachBatch(merge)


def wrong_recounted_from_memory(orders: DataFrame, customers: str) -> DataStreamWriter:
    """Collects the orders in a list of the process, and writes the table from it."""
    seen: list[Any] = []

    def write(batch: DataFrame, number: int) -> None:
        seen.extend(batch.collect())
        rows = _by_customer(batch.sparkSession.createDataFrame(seen, batch.schema))
        rows.write.format("delta").mode("overwrite").save(customers)

    return orders.writeStream.foreachBatch(write)


def wrong_deletes_first(orders: DataFrame, customers: str) -> DataStreamWriter:
    """Empties the table before each micro-batch."""

    def write(batch: DataFrame, number: int) -> None:
        DeltaTable.forPath(batch.sparkSession, customers).delete()
        batch.write.format("delta").mode("append").save(customers)

    return _by_customer(orders).writeStream.outputMode("update").foreachBatch(write)


def wrong_append_mode(orders: DataFrame, customers: str) -> DataStreamWriter:
    """The default output mode, which knows no end of a count."""

    def merge(batch: DataFrame, number: int) -> None:
        _upsert(batch, customers).whenMatchedUpdateAll().whenNotMatchedInsertAll().execute()

    return _by_customer(orders).writeStream.foreachBatch(merge)
