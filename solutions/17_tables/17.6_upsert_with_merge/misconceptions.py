"""Ways in which an upsert counts twice, overwrites the newer row, or misses the row of a key."""

from delta.tables import DeltaTable
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql.streaming.readwriter import DataStreamWriter

SAME = "old.customer <=> new.customer"
SUMS = {
    "orders": "old.orders + new.orders",
    "city": "new.city",
    "last_order": "greatest(old.last_order, new.last_order)",
}


def _by_customer(orders: DataFrame, count: str = "*", city: Column | None = None) -> DataFrame:
    newest = F.max_by("city", "order_time") if city is None else city
    last = F.max("order_time").alias("last_order")
    return orders.groupBy("customer").agg(
        F.count(count).alias("orders"), newest.alias("city"), last
    )


def _table(batch: DataFrame, customers: str) -> DeltaTable:
    return DeltaTable.forPath(batch.sparkSession, customers).alias("old")


def _merged(
    rows: DataFrame,
    customers: str,
    same: str = SAME,
    mode: str = "update",
    update: bool = True,
    insert: bool = True,
) -> DataStreamWriter:
    def merge(batch: DataFrame, number: int) -> None:
        merging = _table(batch, customers).merge(batch.alias("new"), same)
        merging = merging.whenMatchedUpdateAll() if update else merging
        merging = merging.whenNotMatchedInsertAll() if insert else merging
        merging.execute()

    return rows.writeStream.outputMode(mode).foreachBatch(merge)


def added_to_the_count_in_the_table(orders: DataFrame, customers: str) -> DataStreamWriter:
    """Count of the micro-batch added to the count in the table

    Before the kill everything was right. Then the micro-batch ran again, and MERGE added its orders a second
    time. The table is not rolled back with the checkpoint, so `old.orders + new.orders` is not
    idempotent. Which count can MERGE write twice without a change?
    """

    def merge(batch: DataFrame, number: int) -> None:
        merging = _table(batch, customers).merge(_by_customer(batch).alias("new"), SAME)
        later = "new.last_order > old.last_order"
        merging.whenMatchedUpdate(
            set={
                "orders": "old.orders + new.orders",
                "city": f"CASE WHEN {later} THEN new.city ELSE old.city END",
                "last_order": "greatest(old.last_order, new.last_order)",
            }
        ).whenNotMatchedInsertAll().execute()

    return orders.writeStream.foreachBatch(merge)


def added_and_last_city(orders: DataFrame, customers: str) -> DataStreamWriter:
    """Micro-batches added up, with the city of the last micro-batch

    In step 2 the city of ana is that of the newest order of this micro-batch, although the table had a
    newer one. And a count that is added to the table is added again after a kill. The state of an
    aggregation remembers both. What do you group, the stream or the micro-batch?
    """

    def merge(batch: DataFrame, number: int) -> None:
        merging = _table(batch, customers).merge(_by_customer(batch).alias("new"), SAME)
        merging.whenMatchedUpdate(set=SUMS).whenNotMatchedInsertAll().execute()

    return orders.writeStream.foreachBatch(merge)


def several_rows_of_one_customer(orders: DataFrame, customers: str) -> DataStreamWriter:
    """Several source rows of one customer in one MERGE

    In step 2 MERGE stopped, because two orders of one micro-batch match the same row of the table. Delta
    does not choose one of them. Reduce the source to one row for each customer before the MERGE. Which
    operator does that, and also counts?
    """

    def merge(batch: DataFrame, number: int) -> None:
        rows = batch.select(
            "customer",
            F.lit(1).cast("bigint").alias("orders"),
            "city",
            F.col("order_time").alias("last_order"),
        )
        merging = _table(batch, customers).merge(rows.alias("new"), SAME)
        merging.whenMatchedUpdate(set=SUMS).whenNotMatchedInsertAll().execute()

    return orders.writeStream.foreachBatch(merge)


def each_batch_replaces_the_count(orders: DataFrame, customers: str) -> DataStreamWriter:
    """Count of one micro-batch written as the whole count

    After step 2 the counts are those of step 2 alone. A groupBy in foreachBatch sees one micro-batch. What
    keeps the count over all micro-batches?
    """

    def merge(batch: DataFrame, number: int) -> None:
        merging = _table(batch, customers).merge(_by_customer(batch).alias("new"), SAME)
        merging.whenMatchedUpdateAll().whenNotMatchedInsertAll().execute()

    return orders.writeStream.foreachBatch(merge)


def null_never_matches(orders: DataFrame, customers: str) -> DataStreamWriter:
    """Guests compared with `=`

    After step 2 the table has {steps.2.rows} rows, and two of them are for guests. The comparison null = null is
    not true, so MERGE inserts a row for guests each time. Which comparison treats two nulls as equal?
    """
    return _merged(_by_customer(orders), customers, "old.customer = new.customer")


def guests_left_out(orders: DataFrame, customers: str) -> DataStreamWriter:
    """Orders of guests left out

    The row of the guests is missing. Their customer is null, and the task counts them. Which part of your query
    drops them?
    """
    return _merged(_by_customer(orders.where("customer IS NOT NULL")), customers)


def last_to_arrive(orders: DataFrame, customers: str) -> DataStreamWriter:
    """City of the last order to arrive

    In step 2 the city of ana is that of an order that is older than the order before. Orders arrive
    late, so the order of arrival is not the order of time. Which aggregate takes the city of the newest
    `order_time`?
    """
    return _merged(_by_customer(orders, city=F.last("city")), customers)


def last_order_to_arrive(orders: DataFrame, customers: str) -> DataStreamWriter:
    """Time of the last order to arrive

    In step 2 `last_order` of ana is earlier than in step 1. The aggregate last takes what arrives last, and
    orders arrive late. Which aggregate takes the newest time?
    """
    counted = orders.groupBy("customer").agg(
        F.count("*").alias("orders"),
        F.max_by("city", "order_time").alias("city"),
        F.last("order_time").alias("last_order"),
    )
    return _merged(counted, customers)


def greatest_city(orders: DataFrame, customers: str) -> DataStreamWriter:
    """Greatest city in place of the newest

    In step 1 the city of ana is Rome, because R comes after B in the alphabet. The function max compares the
    cities. By which column is one order newer than another?
    """
    return _merged(_by_customer(orders, city=F.max("city")), customers)


def newest_known_city(orders: DataFrame, customers: str) -> DataStreamWriter:
    """Orders without a city left out of the newest

    The newest order of ben has no city, and your table shows the city of an older order. The task says which
    order decides, with a city or without. Which rows does your aggregate skip?
    """
    known = F.max(F.when(F.col("city").isNotNull(), F.struct("order_time", "city")))["city"]
    return _merged(_by_customer(orders, city=known), customers)


def customers_counted(orders: DataFrame, customers: str) -> DataStreamWriter:
    """Count of a column that can be null

    The row of the guests has 0 orders. The function count(column) counts values that are not null. What
    counts rows?
    """
    return _merged(_by_customer(orders, count="customer"), customers)


def only_new_customers(orders: DataFrame, customers: str) -> DataStreamWriter:
    """MERGE that only inserts

    After step 2 ana still has the count of step 1. Your MERGE inserts new customers, and leaves the rows that are
    there as they are. Which clause changes a row that matches?
    """
    return _merged(_by_customer(orders), customers, update=False)


def only_known_customers(orders: DataFrame, customers: str) -> DataStreamWriter:
    """MERGE that only updates

    Your table is empty after each step. MERGE changes rows that match, and in an empty table no row matches.
    Which clause adds the others?
    """
    return _merged(_by_customer(orders), customers, insert=False)


def counts_appended(orders: DataFrame, customers: str) -> DataStreamWriter:
    """Each new count appended as another row

    After step 2 the table has {steps.2.rows} rows, and several of them are for one customer. An append never
    replaces a row. Which command replaces the row of a key?
    """

    def append(batch: DataFrame, number: int) -> None:
        batch.write.format("delta").mode("append").save(customers)

    return _by_customer(orders).writeStream.outputMode("update").foreachBatch(append)


def changed_customers_only(orders: DataFrame, customers: str) -> DataStreamWriter:
    """Table overwritten with the changed customers

    After step 3 the customers without an order in this step are gone. Update mode emits the rows that changed,
    and overwrite replaces the whole table. Which command replaces only the rows of these customers?
    """

    def overwrite(batch: DataFrame, number: int) -> None:
        batch.write.format("delta").mode("overwrite").save(customers)

    return _by_customer(orders).writeStream.outputMode("update").foreachBatch(overwrite)
