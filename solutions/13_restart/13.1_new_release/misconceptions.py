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
    """Another key than the one in the state

    Spark compared the key in the checkpoint, one text, with the key of this version, and did not start. The sums of
    the old version lie under the product alone. What can be read from the product, as the department can, needs no
    place in the key: it can be made of the result. And whatever orders are to be left out by, such as the channel,
    can be asked before the grouping.
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
    """Pieces and cents have changed places

    For products that were sold before the release `pieces` holds what was their cents, and the price
    comes from the two exchanged. Spark started, as the state is two whole numbers in both versions; it
    compares types, place by place, and no names. Which sum comes first in the old version, read from left to right? In
    yours a `select` right after `agg` counts, too: then its columns say which sum comes first.
    """
    sums = (
        orders.where(REAL)
        .groupBy("product")
        .agg(F.sum("cents").alias("cents"), F.sum("pieces").alias("pieces"))
    )
    return _told(sums)


def quick_mend(orders: DataFrame) -> DataFrame:
    """Pieces and cents have changed places, and orders by phone are gone

    Two things. Spark started, as the state is two whole numbers in both versions; but it reads them place by
    place, so `pieces` holds what was cents. Which sum comes first in the old version, and which in yours (where a `select`
    right after `agg` counts, too)? And orders without a channel are in no sum any more. If the channel is compared: a
    comparison with null is neither true nor false, and `where` keeps what is true.
    """
    sums = (
        orders.where("channel <> 'test'")
        .groupBy("product")
        .agg(F.sum("cents").alias("cents"), F.sum("pieces").alias("pieces"))
    )
    return _told(sums)


def other_fields_in_the_state(orders: DataFrame) -> DataFrame:
    """Other fields in the state than two whole sums

    Spark compared the values in the checkpoint, two sums of whole numbers, with those of this version, and did
    not start. Either `agg` has other functions, each of which keeps fields of its own: `first` one and a flag, `avg` a sum
    and a count. Or a sum is of another type. Which of the columns can be made of the two sums as they were, and of
    the product's name?
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
    """Orders without a channel are gone

    Orders that have no channel are in no sum any more. If the channel is compared: a comparison with null is neither true
    nor false, and `where` keeps what is true. The task wants to be rid of the test shop only.
    """
    return _told(_sums(orders.where("channel <> 'test'")))


def test_shop_still_in(orders: DataFrame) -> DataFrame:
    """The test shop still counts

    In step 3 came an order of the test shop, and it is in the sums. A filter before the grouping is not
    in the checkpoint, so it may be new. If you have one, does it name the channel as it is written?
    """
    return _told(_sums(orders))


def whole_cents(orders: DataFrame) -> DataFrame:
    """Prices in whole cents

    `cents_each` lacks what is behind the point. The division of two whole numbers with `/` gives a
    fraction; the task asks for it as it is.
    """
    each = F.floor(F.col("cents") / F.col("pieces")).cast("double").alias("cents_each")
    return _sums(orders.where(REAL)).select(_department(), "product", "pieces", each)


def rounded_price(orders: DataFrame) -> DataFrame:
    """Prices rounded to two places

    `cents_each` ends after two places where the division goes on: 7300 cents by 3 pieces are 2433.333…, not
    2433.33. The task asks for what the division gives.
    """
    each = F.round(F.col("cents") / F.col("pieces"), 2).alias("cents_each")
    return _sums(orders.where(REAL)).select(_department(), "product", "pieces", each)


def cents_in_place_of_the_price(orders: DataFrame) -> DataFrame:
    """All cents of a product, not those of a piece

    `cents_each` is the sum of all cents. It should be divided by the pieces that were sold for them.
    """
    each = F.col("cents").cast("double").alias("cents_each")
    return _sums(orders.where(REAL)).select(_department(), "product", "pieces", each)


def price_with_four_places(orders: DataFrame) -> DataFrame:
    """Prices with four places

    `cents_each` ends after four places where the division goes on: 7300 cents by 3 pieces are 2433.333333…, not
    2433.3333. The task asks for what the division gives.
    """
    each = (F.col("cents") / F.col("pieces")).cast("decimal(20, 4)").alias("cents_each")
    return _sums(orders.where(REAL)).select(_department(), "product", "pieces", each)


def no_pieces_made_zero(orders: DataFrame) -> DataFrame:
    """A division by zero

    The query ended there. A delivery fee has no pieces: divided by null its price is null, as the task wants it;
    divided by 0 it is an error. Nothing has to be filled in.
    """
    return _told(_sums(orders.where(REAL).fillna(0, ["pieces"])))


def without_pieces_left_out(orders: DataFrame) -> DataFrame:
    """Delivery fees are gone

    A product without pieces is not told of any more. If a filter compares the pieces: a comparison with null is neither
    true nor false, and `where` keeps what is true. A fee has no pieces, and its price is null.
    """
    return _told(_sums(orders.where(REAL))).where("pieces > 0")


def part_after_the_slash(orders: DataFrame) -> DataFrame:
    """The other part of the product

    `department` holds what stands after the `/`. It is the part before it that is asked.
    """
    department = F.split("product", "/")[1].alias("department")
    each = (F.col("cents") / F.col("pieces")).alias("cents_each")
    return _sums(orders.where(REAL)).select(department, "product", "pieces", each)
