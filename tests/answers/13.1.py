"""Answers to 13.1: other releases that go on from the same two sums, and others that do not."""

from collections.abc import Iterator

import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F


def _department() -> Column:
    return F.split("product", "/")[0].alias("department")


def _each() -> Column:
    return (F.col("cents") / F.col("pieces")).alias("cents_each")


def _real(orders: DataFrame) -> DataFrame:
    return orders.where(F.col("channel").isNull() | (F.col("channel") != "test"))


def _sums(orders: DataFrame) -> DataFrame:
    return orders.groupBy("product").agg(
        F.sum("pieces").alias("pieces"), F.sum("cents").alias("cents")
    )


def _told(sums: DataFrame) -> DataFrame:
    return sums.select(_department(), "product", "pieces", _each())


def right_in_sql(orders: DataFrame) -> DataFrame:
    """All of it in one SELECT: filter, grouping, department and price."""
    orders.createOrReplaceTempView("orders_of_the_release")
    return orders.sparkSession.sql(
        "SELECT split(product, '/')[0] AS department, product, sum(pieces) AS pieces,"
        " sum(cents) / sum(pieces) AS cents_each FROM orders_of_the_release"
        " WHERE channel IS NULL OR channel != 'test' GROUP BY product"
    )


def right_filtered_in_arrow(orders: DataFrame) -> DataFrame:
    """Takes the test shop out in mapInArrow, where what cannot be compared is kept."""

    def without_test(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            differs = pc.not_equal(batch.column("channel"), "test")
            yield batch.filter(pc.fill_null(differs, True))

    return _told(_sums(orders.mapInArrow(without_test, orders.schema)))


def right_sums_of_groups(orders: DataFrame) -> DataFrame:
    """`groupBy(…).sum(…)` with the names that Spark gives, try_divide, and a regular expression."""
    real = orders.filter(~F.coalesce(F.col("channel").isin("test"), F.lit(False)))
    sums = real.groupBy("product").sum("pieces", "cents")
    return sums.select(
        F.regexp_extract("product", "^([^/]*)", 1).alias("department"),
        "product",
        F.col("sum(pieces)").alias("pieces"),
        F.try_divide("sum(cents)", "sum(pieces)").alias("cents_each"),
    )


def right_a_dict_of_sums(orders: DataFrame) -> DataFrame:
    """`agg` with a dict; for these two names the map that Spark makes of it keeps pieces first."""
    sums = _real(orders).groupBy("product").agg({"pieces": "sum", "cents": "sum"})
    renamed = sums.withColumnsRenamed({"sum(pieces)": "pieces", "sum(cents)": "cents"})
    return _told(renamed)


def right_a_column_that_is_dropped(orders: DataFrame) -> DataFrame:
    """Marks real orders in a column, drops it and the channel, and divides as doubles."""
    marked = orders.withColumn("real", F.coalesce(F.col("channel") != "test", F.lit(True)))
    sums = _sums(marked.where("real").drop("real", "channel"))
    return (
        sums.withColumn("cents_each", F.expr("double(cents) / double(pieces)"))
        .withColumn("department", _department())
        .drop("cents")
        .select("department", "product", "pieces", "cents_each")
    )


def right_in_python(orders: DataFrame) -> DataFrame:
    """Filter and department as Python functions; None is not "test"."""
    is_real = F.udf(lambda channel: channel != "test", "boolean")
    of = F.udf(lambda product: None if product is None else product.split("/")[0], "string")
    sums = _sums(orders.where(is_real("channel")))
    return sums.select(of("product").alias("department"), "product", "pieces", _each())


def right_price_first_in_agg(orders: DataFrame) -> DataFrame:
    """The price is the first in `agg`, but the select after it has the pieces first, and Spark merges the two."""
    each = (F.sum("cents") / F.sum("pieces")).alias("cents_each")
    sums = _real(orders).groupBy("product").agg(each, F.sum("pieces").alias("pieces"))
    return sums.select(_department(), "product", "pieces", "cents_each")


def wrong_price_selected_before_the_pieces(orders: DataFrame) -> DataFrame:
    """Pieces first in `agg`, but the select after it begins with the price, whose first sum is the cents."""
    sums = _real(orders).groupBy("product")
    sums = sums.agg(
        F.sum("pieces").alias("pieces"), (F.sum("cents") / F.sum("pieces")).alias("cents_each")
    )
    return sums.select(_department(), "product", "cents_each", "pieces")


def wrong_price_first_in_agg_and_told(orders: DataFrame) -> DataFrame:
    """The price is the first in `agg`, and withColumn leaves that order as it is."""
    each = (F.sum("cents") / F.sum("pieces")).alias("cents_each")
    sums = _real(orders).groupBy("product").agg(each, F.sum("pieces").alias("pieces"))
    return sums.withColumn("department", _department())


def wrong_without_pieces_left_out(orders: DataFrame) -> DataFrame:
    """Tells only products of which there are pieces: a fee has none."""
    return _told(_sums(_real(orders)).where("pieces > 0"))


def wrong_two_branches_united(orders: DataFrame) -> DataFrame:
    """Orders by phone and all others filtered apart and united: a union reads two sources

    The checkpoint has one, so Spark refuses the start.
    """
    phone = orders.where("channel IS NULL")
    return _told(_sums(orders.where("channel != 'test'").union(phone)))


def wrong_sums_of_real_orders_only(orders: DataFrame) -> DataFrame:
    """Adds nothing for an order of the test shop, in place of a filter

    The group is touched, so the product is told because of a test order.
    """
    real = F.expr("channel IS DISTINCT FROM 'test'")
    sums = orders.groupBy("product").agg(
        F.sum(F.when(real, F.col("pieces"))).alias("pieces"),
        F.sum(F.when(real, F.col("cents"))).alias("cents"),
    )
    return _told(sums)


def wrong_fees_have_no_pieces(orders: DataFrame) -> DataFrame:
    """Makes 0 of pieces that are null before they are added, and divides by it

    A delivery fee then has 0 pieces, and the division by zero ends the query.
    """
    return _told(_sums(_real(orders).na.fill(0, ["pieces"])))


def wrong_fees_told_with_0_pieces(orders: DataFrame) -> DataFrame:
    """Tells 0 pieces of a delivery fee; the price is null "where the pieces are", so they are null."""
    told = _told(_sums(_real(orders)))
    return told.withColumn("pieces", F.coalesce("pieces", F.lit(0)))


def wrong_part_after_the_slash(orders: DataFrame) -> DataFrame:
    """element_at counts from 1, and 2 is the part after the slash."""
    department = F.element_at(F.split("product", "/"), 2).alias("department")
    return _sums(_real(orders)).select(department, "product", "pieces", _each())


def wrong_pieces_for_a_cent(orders: DataFrame) -> DataFrame:
    """Divides the other way round: pieces by cents."""
    each = (F.col("pieces") / F.col("cents")).alias("cents_each")
    return _sums(_real(orders)).select(_department(), "product", "pieces", each)


def wrong_channels_that_i_know(orders: DataFrame) -> DataFrame:
    """Lists the channels that are there today, and leaves out a new one

    "No longer count orders of the test shop": every other channel counts.
    """
    return _told(_sums(orders.where("channel IS NULL OR channel IN ('web', 'kiosk')")))


def wrong_incomplete_orders_left_out(orders: DataFrame) -> DataFrame:
    """Drops orders without pieces or cents: fees and gifts are gone."""
    return _told(_sums(_real(orders).dropna(subset=["pieces", "cents"])))


def wrong_unknown_product_left_out(orders: DataFrame) -> DataFrame:
    """Drops orders whose product nobody knows, which the old version has counted."""
    return _told(_sums(_real(orders).where("product IS NOT NULL")))


def wrong_cents_told_as_well(orders: DataFrame) -> DataFrame:
    """Tells the cents beside the price, where "in place of the cents" is asked."""
    return _sums(_real(orders)).select(_department(), "product", "pieces", "cents", _each())


def wrong_price_as_money(orders: DataFrame) -> DataFrame:
    """Casts the price to a decimal with four places: "not rounded"."""
    each = _each().cast("decimal(18, 4)").alias("cents_each")
    return _sums(_real(orders)).select(_department(), "product", "pieces", each)


def wrong_department_without_null(orders: DataFrame) -> DataFrame:
    """Says "unknown" for the department of a product that nobody knows, which has none."""
    department = F.coalesce(F.split("product", "/")[0], F.lit("unknown")).alias("department")
    return _sums(_real(orders)).select(department, "product", "pieces", _each())


def wrong_any_channel_with_test_in_it(orders: DataFrame) -> DataFrame:
    """Leaves out every channel that has "test" somewhere in it.

    Differs for an order whose channel is "contest": only `"test"` is the test shop.
    """
    return _told(_sums(orders.where("channel IS NULL OR channel NOT LIKE '%test%'")))


def wrong_test_in_any_case(orders: DataFrame) -> DataFrame:
    """Compares channels in small letters.

    Differs for an order whose channel is "TEST", which is another text than `"test"`.
    """
    return _told(_sums(orders.where(F.coalesce(F.lower("channel"), F.lit("")) != "test")))


def right_piped_sql(orders: DataFrame) -> DataFrame:
    """SQL with pipes, the stream given as an argument of `sql`."""
    return orders.sparkSession.sql(
        """
        FROM {orders}
        |> WHERE NOT equal_null(channel, 'test')
        |> AGGREGATE sum(pieces) AS pieces, sum(cents) AS cents GROUP BY product
        |> SELECT split_part(product, '/', 1) AS department, product, pieces, cents / pieces AS cents_each
        """,
        orders=orders,
    )


def right_anti_join_with_a_list(orders: DataFrame) -> DataFrame:
    """The channels that are left out stand in a small table; an anti join keeps what has no match, null too."""
    left_out = orders.sparkSession.createDataFrame([("test",)], "closed STRING")
    kept = orders.join(F.broadcast(left_out), F.col("channel") == F.col("closed"), "left_anti")
    return _told(_sums(kept))
