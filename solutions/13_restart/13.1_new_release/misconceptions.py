"""Releases that the checkpoint refuses, or takes and misreads."""

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

REAL = "channel IS DISTINCT FROM 'test'"


def _sums(orders: DataFrame) -> DataFrame:
    return orders.groupBy("product").agg(
        F.sum("pieces").alias("pieces"), F.sum("cents").alias("cents")
    )


def _department() -> Column:
    return F.split("product", "/")[0].alias("department")


def _told(sums: DataFrame) -> DataFrame:
    each = (F.col("cents") / F.col("pieces")).alias("cents_each")
    return sums.select(_department(), "product", "pieces", each)


def department_in_the_key(orders: DataFrame) -> DataFrame:
    """Another grouping key than the key in the state

    Spark compared the key in the checkpoint, one string, with the key of this version, and refused the start. The
    state of the old version is stored by product alone. The department can be computed from the product after the
    aggregation, and a filter on the channel can come before it. What has to be in the grouping key, then?
    """
    sums = (
        orders.where(REAL)
        .withColumn("department", _department())
        .groupBy("department", "product")
        .agg(F.sum("pieces").alias("pieces"), F.sum("cents").alias("cents"))
    )
    each = (F.col("cents") / F.col("pieces")).alias("cents_each")
    return sums.select("department", "product", "pieces", each)


def sums_in_another_order(orders: DataFrame) -> DataFrame:
    """Sums of pieces and cents exchanged in the state

    For products that were sold before the release `pieces` has their old cents, and the price mixes both sums.
    Spark started because the state is two integers in both versions. It compares types by position, and no names.
    A `select` right after `agg` may also decide the order: then its columns say which sum is first. Which sum is
    first in the old version?
    """
    sums = (
        orders.where(REAL)
        .groupBy("product")
        .agg(F.sum("cents").alias("cents"), F.sum("pieces").alias("pieces"))
    )
    return _told(sums)


def quick_mend(orders: DataFrame) -> DataFrame:
    """Sums exchanged in the state, and orders by phone dropped

    There are two causes. Spark started because the state is two integers in both versions, but it reads them by
    position: `pieces` has the old cents. A `select` right after `agg` may also decide the order. And orders without a
    channel are missing. A comparison with null is neither true nor false, and `where` keeps only what is true.
    Which sum is first in the old version, and what does your filter do with null?
    """
    sums = (
        orders.where("channel <> 'test'")
        .groupBy("product")
        .agg(F.sum("cents").alias("cents"), F.sum("pieces").alias("pieces"))
    )
    return _told(sums)


def other_fields_in_the_state(orders: DataFrame) -> DataFrame:
    """Other fields in the state than two integer sums

    Spark compared the values in the checkpoint, two integer sums, with the values of this version, and refused the
    start. Either `agg` has other functions, and each stores its own fields: `first` one and a flag, `avg` a sum
    and a count. Or a sum has another type. Which output columns can be computed from the two old sums and the
    product?
    """
    sums = (
        orders.where(REAL)
        .withColumn("department", _department())
        .groupBy("product")
        .agg(
            F.sum("pieces").alias("pieces"),
            F.sum("cents").alias("cents"),
            F.first("department").alias("department"),
        )
    )
    each = (F.col("cents") / F.col("pieces")).alias("cents_each")
    return sums.select("department", "product", "pieces", each)


def orders_by_phone_lost(orders: DataFrame) -> DataFrame:
    """Orders without a channel dropped

    Orders that have no channel are missing from the sums. A comparison with null is neither true nor false, and
    `where` keeps only what is true. The task drops the test shop and nothing else. Which condition is true for a
    null channel?
    """
    return _told(_sums(orders.where("channel <> 'test'")))


def test_shop_still_in(orders: DataFrame) -> DataFrame:
    """Orders of the test shop counted

    In step 3 an order of the test shop arrived, and it is in the sums. The checkpoint does not contain a filter
    that is before the aggregation, so a new one is allowed. If you have a filter, does it compare the channel with
    the right string?
    """
    return _told(_sums(orders))


def whole_cents(orders: DataFrame) -> DataFrame:
    """Price in whole cents

    `cents_each` has no digits after the decimal point. The division of two integers with `/` gives a fraction, and
    the task does not round it. Which step of your query removes the digits?
    """
    each = F.floor(F.col("cents") / F.col("pieces")).cast("double").alias("cents_each")
    return _sums(orders.where(REAL)).select(_department(), "product", "pieces", each)


def rounded_price(orders: DataFrame) -> DataFrame:
    """Price rounded to two decimal places

    `cents_each` ends after two decimal places: 7300 cents for 3 pieces are 2433.333…, not 2433.33. The task does
    not round. Which step of your query does?
    """
    each = F.round(F.col("cents") / F.col("pieces"), 2).alias("cents_each")
    return _sums(orders.where(REAL)).select(_department(), "product", "pieces", each)


def cents_in_place_of_the_price(orders: DataFrame) -> DataFrame:
    """Total cents in place of the price of one piece

    `cents_each` is the total cents of the product. The price of one piece is a quotient. What has to be divided by
    what?
    """
    each = F.col("cents").cast("double").alias("cents_each")
    return _sums(orders.where(REAL)).select(_department(), "product", "pieces", each)


def price_with_four_places(orders: DataFrame) -> DataFrame:
    """Price with four decimal places

    `cents_each` ends after four decimal places: 7300 cents for 3 pieces are 2433.333333…, not 2433.3333. The task
    does not round. Which type does your division have?
    """
    each = (F.col("cents") / F.col("pieces")).cast("decimal(20, 4)").alias("cents_each")
    return _sums(orders.where(REAL)).select(_department(), "product", "pieces", each)


def no_pieces_made_zero(orders: DataFrame) -> DataFrame:
    """Division by zero for a delivery fee

    The query failed there. A delivery fee has no pieces. Its price is null if it is divided by null, as the task
    requires; divided by 0 it is an error. Which step of your query replaces null by 0?
    """
    return _told(_sums(orders.where(REAL).fillna(0, ["pieces"])))


def without_pieces_left_out(orders: DataFrame) -> DataFrame:
    """Delivery fees dropped

    A product without pieces is not emitted any more. A comparison with null is neither true nor false, and a
    filter keeps only what is true. A fee has no pieces, and its price is null. Is the filter needed at all?
    """
    return _told(_sums(orders.where(REAL))).where("pieces > 0")


def part_after_the_slash(orders: DataFrame) -> DataFrame:
    """Part after the slash as the department

    `department` has the part of the product after the `/`. The task takes the part before it. Which element of the
    split string is that?
    """
    department = F.split("product", "/")[1].alias("department")
    each = (F.col("cents") / F.col("pieces")).alias("cents_each")
    return _sums(orders.where(REAL)).select(department, "product", "pieces", each)


def channels_that_contain_test(orders: DataFrame) -> DataFrame:
    """Other channels taken for the test shop

    In step 5 the rake is missing: its orders came through the channels `contest` and `TEST`. Only the channel `test` is
    the test shop. Does your filter compare the whole string, in its own case?
    """
    return _told(_sums(orders.where("channel IS NULL OR NOT contains(lower(channel), 'test')")))


def unknown_product_dropped(orders: DataFrame) -> DataFrame:
    """Orders with an unknown product dropped

    In step 4 the row of the null product is missing. The old version counts it, and null is a grouping key like any
    other. Its department is null, too. Which step of your query drops it?
    """
    return _told(_sums(orders.where(REAL).where("product IS NOT NULL")))
