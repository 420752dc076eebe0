"""Counts that differ from the table: changes that are added, left out or lost."""

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F


def _feed(spark: SparkSession, orders: str) -> DataFrame:
    return spark.readStream.format("delta").option("readChangeFeed", True).load(orders)


def _table(spark: SparkSession, orders: str, option: str) -> DataFrame:
    return spark.readStream.format("delta").option(option, True).load(orders)


def _sign(*minus: str) -> Column:
    return F.when(F.col("_change_type").isin(*minus), -1).otherwise(1)


def _counts(feed: DataFrame, sign: Column) -> DataFrame:
    return feed.groupBy("status").agg(
        F.sum(sign).alias("orders"), F.sum(sign * F.col("cents")).alias("cents")
    )


_RIGHT = ("delete", "update_preimage")


def old_rows_added(spark: SparkSession, orders: str) -> DataFrame:
    """Pre-images added

    After step 2 your query had 4 placed orders; the table had 2. The row `update_preimage` is the order before the
    change: it is not in the table any more. Which sign does it need?
    """
    return _counts(_feed(spark, orders), _sign("delete"))


def old_rows_left_out(spark: SparkSession, orders: str) -> DataFrame:
    """Pre-images left out

    After step 2 order o1 was counted as placed and as paid. The row `update_postimage` brings it to paid. Which row
    says that it was placed before?
    """
    kept = _feed(spark, orders).where("_change_type != 'update_preimage'")
    return _counts(kept, _sign("delete"))


def old_rows_count_nothing(spark: SparkSession, orders: str) -> DataFrame:
    """Pre-images counted as 0

    After step 2 order o1 was counted as placed and as paid. Your query reads the row `update_preimage`, and it changes
    nothing there. This row is the order before the change. Which sign takes it out of its status?
    """
    sign = F.when(F.col("_change_type") == "update_preimage", 0).otherwise(_sign("delete"))
    return _counts(_feed(spark, orders), sign)


def deletes_left_out(spark: SparkSession, orders: str) -> DataFrame:
    """Deletes left out

    In step 3 order o2 was deleted, and your query still counts it. The change feed has its last values, in a
    row whose `_change_type` is `delete`. Which filter drops this row?
    """
    kept = _feed(spark, orders).where("_change_type != 'delete'")
    return _counts(kept, _sign("update_preimage"))


def deletes_added(spark: SparkSession, orders: str) -> DataFrame:
    """Deletes added

    In step 3 order o2 was deleted, and your query counts one placed order more instead of one less. A row of the type
    `delete` has the last values of the order. Which sign does it need?
    """
    return _counts(_feed(spark, orders), _sign("update_preimage"))


def updates_left_out(spark: SparkSession, orders: str) -> DataFrame:
    """Updates left out

    In step 2 order o1 was paid, and your query still counts it as placed. Inserts and deletes are not all changes. Which
    two rows does an update have in the change feed?
    """
    kept = _feed(spark, orders).where(F.col("_change_type").isin("insert", "delete"))
    return _counts(kept, _sign("delete"))


def all_changes_counted(spark: SparkSession, orders: str) -> DataFrame:
    """Changes counted, not orders

    Each row of the change feed was counted as one more order, also the deletes and the rows from before an update. The
    numbers can only grow. Which rows take an order out of its status?
    """
    return _counts(_feed(spark, orders), F.lit(1))


def cents_without_a_sign(spark: SparkSession, orders: str) -> DataFrame:
    """Cents without the sign

    `orders` is right, and `cents` only grows. An order that leaves a status takes its cents with it. Which
    sign do the cents need?
    """
    counts = _feed(spark, orders).groupBy("status")
    return counts.agg(F.sum(_sign(*_RIGHT)).alias("orders"), F.sum("cents").alias("cents"))


def changed_commits_skipped(spark: SparkSession, orders: str) -> DataFrame:
    """skipChangeCommits

    After step 1 your query emitted nothing. `skipChangeCommits` skips each commit that updates or deletes a row, as a
    whole: the new order o5 is lost with it. Which option reads the changes themselves?
    """
    table = _table(spark, orders, "skipChangeCommits")
    return _counts(table, F.lit(1))


def files_read_again(spark: SparkSession, orders: str) -> DataFrame:
    """ignoreChanges

    An update rewrites a whole file, and `ignoreChanges` reads all rows of the new file, those without a change,
    too. After step 2 your query counted order o2 twice. Which option reads only the changes?
    """
    table = _table(spark, orders, "ignoreChanges")
    return _counts(table, F.lit(1))


def table_without_updates(spark: SparkSession, orders: str) -> DataFrame:
    """Stream of a table that is updated

    In step 2 Spark stopped the query, because an order was updated. A stream of the table itself is for tables that only
    grow. The message names `skipChangeCommits`; with it the new order of the same commit is lost. What does the
    table store about changes?
    """
    return _counts(_table(spark, orders, "ignoreDeletes"), F.lit(1))


def begins_after_the_newest(spark: SparkSession, orders: str) -> DataFrame:
    """startingVersion is latest

    Your query read no row. With `latest` a stream begins after the newest version, and each run of the check finds a new
    one. Rule 5 wants the orders that were in the table before. Where does a stream begin without this option?
    """
    feed = spark.readStream.format("delta").option("readChangeFeed", True)
    rows = feed.option("startingVersion", "latest").load(orders)
    return _counts(rows, _sign(*_RIGHT))


def two_aggregations(spark: SparkSession, orders: str) -> DataFrame:
    """Newest status of each order, and then a count

    Spark rejected two aggregations in update mode: the second one could not know which counts of the first are
    replaced. You do not need the newest status. The pre-image tells what an order was before. Which single aggregation
    is enough?
    """
    newest = F.max_by(F.struct("status", "cents", "_change_type"), "_commit_version").alias("o")
    current = _feed(spark, orders).groupBy("order_id").agg(newest)
    return (
        current.where("o._change_type != 'delete'")
        .groupBy("o.status")
        .agg(F.count("*").alias("orders"), F.sum("o.cents").alias("cents"))
    )


def empty_statuses_left_out(spark: SparkSession, orders: str) -> DataFrame:
    """Statuses without orders left out

    In step 4 the last order without a status got one, and your query said nothing about it. A reader still sees one
    order there. Which filter drops the row with 0 orders?
    """
    return _counts(_feed(spark, orders), _sign(*_RIGHT)).where("orders > 0")


def no_status_left_out(spark: SparkSession, orders: str) -> DataFrame:
    """Orders without a status left out

    The row whose status is null is missing after step 1. By rule 4 null is a status like any other. Which filter or
    comparison drops it?
    """
    return _counts(_feed(spark, orders).where("status IS NOT NULL"), _sign(*_RIGHT))


def first_change_of_an_order(spark: SparkSession, orders: str) -> DataFrame:
    """One change per order

    Only the first change of each order was counted. A deduplication by `order_id` keeps that row and drops all later ones.
    The change feed brings each change once. Which duplicates did you expect?
    """
    once = _feed(spark, orders).dropDuplicates(["order_id"])
    return _counts(once, _sign(*_RIGHT))
