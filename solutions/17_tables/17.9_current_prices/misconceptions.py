"""Bills at old prices, lost orders, and orders that are billed more than once."""

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F


def _table(spark: SparkSession, prices: str) -> DataFrame:
    return spark.read.format("delta").load(prices)


def _billed(orders: DataFrame, prices: DataFrame, how: str = "left") -> DataFrame:
    amount = (F.col("quantity") * F.col("cents")).alias("amount")
    return orders.join(prices, "item", how).select("order_id", "item", amount)


def prices_read_once(spark: SparkSession, orders: DataFrame, prices: str) -> DataFrame:
    """Prices read when the query is built

    Every amount is null. The table was empty when your function was called, and the query knows only these prices. A
    list, a dict, a pandas DataFrame, `localCheckpoint` and `versionAsOf` keep the rows of one version. Which
    DataFrame is read again in each micro-batch?
    """
    rows = _table(spark, prices).collect()
    return _billed(orders, spark.createDataFrame(rows, "item STRING, cents BIGINT"))


def prices_cached(spark: SparkSession, orders: DataFrame, prices: str) -> DataFrame:
    """Prices in the cache

    The amounts are right here, and the plan reads the prices from a stored copy. Spark refreshes this copy only if
    the same Spark changes the table. The shop's prices are changed by another program, and then each
    micro-batch gets the prices of the first. Which line makes the copy?
    """
    return _billed(orders, _table(spark, prices).cache())


def orders_without_a_price_lost(spark: SparkSession, orders: DataFrame, prices: str) -> DataFrame:
    """Inner join: orders without a price are dropped

    Orders a3, a4, a6 and a8 are missing. Their item has no price in the table. An inner join emits only pairs, and
    a filter on the price after a left join does the same. Which join keeps each order?
    """
    return _billed(orders, _table(spark, prices), "inner")


def unknown_items_lost(spark: SparkSession, orders: DataFrame, prices: str) -> DataFrame:
    """Orders without an item dropped

    Order a4 is missing: its `item` is null. A left join keeps it, because null is equal to no item of the table. Which
    filter or `dropna` comes before the join?
    """
    return _billed(orders.where("item IS NOT NULL"), _table(spark, prices))


def no_price_is_zero(spark: SparkSession, orders: DataFrame, prices: str) -> DataFrame:
    """Missing price as 0

    An order without a price has the amount 0, and it would be delivered for free. By rule 3 the amount is null. Where
    does your query replace the null?
    """
    return _billed(orders, _table(spark, prices)).fillna(0, ["amount"])


def quantity_left_out(spark: SparkSession, orders: DataFrame, prices: str) -> DataFrame:
    """Price without the quantity

    The amount of a1 is 300; two teas cost 600. The amount is the quantity times the price. Which column is missing in
    your product?
    """
    joined = orders.join(_table(spark, prices), "item", "left")
    return joined.select("order_id", "item", F.col("cents").alias("amount"))


def prices_as_a_stream(spark: SparkSession, orders: DataFrame, prices: str) -> DataFrame:
    """Prices read as a stream

    In step 2 Spark stopped the query, because a row of the table was updated. `readStream` reads new rows, and the
    prices are a state. A stream of prices would also keep all orders and all prices in the join. How do you
    read the table as it is now?
    """
    stream = spark.readStream.format("delta").load(prices)
    return _billed(orders, stream, "inner")


def prices_as_a_stream_and_every_order(
    spark: SparkSession, orders: DataFrame, prices: str
) -> DataFrame:
    """Prices read as a stream, with a left join

    Spark rejected an outer join of two streams without watermarks. The prices need no watermark: they must not be a
    stream. Each micro-batch reads a static table again. How do you read the table as it is now?
    """
    stream = spark.readStream.format("delta").load(prices)
    return _billed(orders, stream)


def new_rows_of_prices(spark: SparkSession, orders: DataFrame, prices: str) -> DataFrame:
    """Prices read as a stream, without the commits that change a price

    Each order was paired with the first price of its item, and orders of items without a price in the stream are missing.
    `skipChangeCommits` leaves out each commit that updates or deletes a price, as a whole. How do you read the table as it
    is now?
    """
    stream = spark.readStream.format("delta").option("skipChangeCommits", True).load(prices)
    return _billed(orders, stream, "inner")


def changes_joined(spark: SparkSession, orders: DataFrame, prices: str) -> DataFrame:
    """Join with the change feed

    Orders are emitted several times: a stream-stream join pairs an order with each change of its price, the older ones
    and later ones. Only the price of the moment is required. Which side of the join must not be a stream?
    """
    feed = spark.readStream.format("delta").option("readChangeFeed", True).load(prices)
    return _billed(orders, feed, "inner")


def new_prices_only(spark: SparkSession, orders: DataFrame, prices: str) -> DataFrame:
    """Join with the change feed, without the rows before an update

    Your query pairs each order with every price that the item has ever had, at any time. Without the pre-images these
    are still several prices per item, and the orders without a price are lost. Which DataFrame has one row per item?
    """
    feed = spark.readStream.format("delta").option("readChangeFeed", True).load(prices)
    after = feed.where(F.col("_change_type").isin("insert", "update_postimage"))
    return _billed(orders, after, "inner")


def one_row_per_order(spark: SparkSession, orders: DataFrame, prices: str) -> DataFrame:
    """One row per order number

    Order a10 has two rows in step 4, a tea and a hat, and your query emitted one of them. A deduplication by `order_id`
    drops the other. What does the left join need a deduplication for?
    """
    return _billed(orders, _table(spark, prices)).dropDuplicates(["order_id"])
