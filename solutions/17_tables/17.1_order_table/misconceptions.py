"""Tables that differ from the shop's: the wrong order of changes, wrong keys, wrong deletes."""

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

_ROW = "STRUCT<order_id INT, customer STRING, status STRING, cents INT>"
_CHANGE = (
    f"before {_ROW}, after {_ROW}, source STRUCT<ts_ms BIGINT, lsn BIGINT>, op STRING, ts_ms BIGINT"
)


def _order() -> Column:
    return F.coalesce("c.after.order_id", "c.before.order_id").alias("order_id")


def _parsed(changes: DataFrame) -> DataFrame:
    change = F.from_json(F.col("value").cast("string"), _CHANGE)
    return changes.select("key", change.alias("c"))


def _changes(changes: DataFrame) -> DataFrame:
    return _parsed(changes).where("c IS NOT NULL")


def _rows(newest: DataFrame, row: str = "after") -> DataFrame:
    return newest.select(
        "order_id",
        f"c.{row}.customer",
        f"c.{row}.status",
        f"c.{row}.cents",
        (F.col("c.op") == "d").alias("deleted"),
    )


def _table(changes: DataFrame, position: str = "c.source.lsn") -> DataFrame:
    return _rows(changes.groupBy(_order()).agg(F.max_by("c", position).alias("c")))


def last_to_arrive(changes: DataFrame) -> DataFrame:
    """Order of arrival instead of log position

    A change that arrived later replaced a newer one. After step 4, order 2 was paid again; it had been shipped
    before. Messages of one order can be in two partitions, and Spark reads them in any order. Which field
    says where a change is in the database's log?
    """
    return _rows(_changes(changes).groupBy(_order()).agg(F.last("c").alias("c")))


def newest_ts_ms(changes: DataFrame) -> DataFrame:
    """Order by ts_ms, the time at which the connector read the change

    An old change that the connector sent a second time replaced a newer one. After step 6, order 6 was in the
    table again. `ts_ms` is the connector's clock when it processed the change, so a repeated message gets a new one.
    Which field is the same in both messages?
    """
    return _table(_changes(changes), "c.ts_ms")


def newest_commit_time(changes: DataFrame) -> DataFrame:
    """Order by source.ts_ms, the time of the commit

    One transaction changed order 3 two times, and your query chose the wrong change. All changes of a transaction
    have the same `source.ts_ms`. Which field differs between them?
    """
    return _table(_changes(changes), "c.source.ts_ms")


def key_from_after(changes: DataFrame) -> DataFrame:
    """Key of a delete read from after

    Deletes of all orders became one row whose `order_id` is null. A delete has no `after`. Where else is the number of
    the order?
    """
    key = F.col("c.after.order_id").alias("order_id")
    return _rows(_changes(changes).groupBy(key).agg(F.max_by("c", "c.source.lsn").alias("c")))


def deletes_left_out(changes: DataFrame) -> DataFrame:
    """Deletes dropped

    Your query emitted no row for a deleted order, so readers of the table still see it. A filter on `op` or on
    `after` drops the deletes. Which row tells a reader that an order is gone?
    """
    return _table(_changes(changes).where("c.after IS NOT NULL"))


def snapshot_left_out(changes: DataFrame) -> DataFrame:
    """Snapshot rows (op r) dropped

    The orders that were in the table before the connector started are missing until they change. The connector reads
    them once, with `op` r. What would your table know of an order that never changes again?
    """
    return _table(_changes(changes).where("c.op IN ('c', 'u', 'd')"))


def before_of_a_delete(changes: DataFrame) -> DataFrame:
    """Deleted row with the values of before

    The row of a deleted order has the values from before the delete. By rule 3 they are null. `before` is
    useful for the key, and for sums. Which part of the change shows the order as it is now?
    """
    now = F.coalesce("c.after", "c.before")
    newest = _changes(changes).groupBy(_order())
    rows = newest.agg(F.max_by(F.struct("c.op", now.alias("now")), "c.source.lsn").alias("c"))
    return _rows(rows, "now")


def nulls_filled_from_before(changes: DataFrame) -> DataFrame:
    """Null in after replaced by the value in before

    Order 2 was updated and its `cents` became null; your query emitted the old amount. Null in `after` is a value, and
    `before` is the past. For which events must you look into `before` at all?
    """
    columns = [
        F.when(
            F.col("c.after").isNotNull(), F.coalesce(f"c.after.{name}", f"c.before.{name}")
        ).alias(name)
        for name in ("customer", "status", "cents")
    ]
    filled = F.struct("c.op", F.struct(*columns).alias("after"))
    newest = _changes(changes).groupBy(_order())
    return _rows(newest.agg(F.max_by(filled, "c.source.lsn").alias("c")))


def deleted_forever(changes: DataFrame) -> DataFrame:
    """Deleted order that cannot come back

    Order 4 was deleted and later inserted again; your query still says that it is deleted. An order is deleted if its
    *newest* change is a delete, not if it has ever had one. On which change does your `deleted` depend?
    """
    newest = _changes(changes).groupBy(_order())
    change = F.max_by("c", "c.source.lsn").alias("c")
    ever = F.max(F.col("c.op") == "d").alias("deleted")
    return newest.agg(change, ever).select(
        "order_id", "c.after.customer", "c.after.status", "c.after.cents", "deleted"
    )


def tombstone_with_a_null_key(changes: DataFrame) -> DataFrame:
    """Tombstones become a row whose order_id is null

    Your query emitted a row without an `order_id`. The value of a tombstone is null, so nothing in it names an order.
    At which point does your query drop the tombstones?
    """
    return _table(_parsed(changes))


def tombstone_of_its_key(changes: DataFrame) -> DataFrame:
    """Tombstone counted as a change of its order

    A micro-batch with only the tombstone of an order emitted a row of this order. The key of the tombstone names
    the order, but its value is null: it is no change. At which point does your query drop the tombstones?
    """
    order = (
        F.get_json_object(F.col("key").cast("string"), "$.order_id").cast("int").alias("order_id")
    )
    return _rows(_parsed(changes).groupBy(order).agg(F.max_by("c", "c.source.lsn").alias("c")))


def each_change_a_row(changes: DataFrame) -> DataFrame:
    """Changes emitted as they come, without state

    Your query emitted a row for each message, old messages and duplicates too. A reader who keeps the last
    row of each order would get an old state. What must the query remember of each order?
    """
    return _rows(_changes(changes).select(_order(), "c"))
