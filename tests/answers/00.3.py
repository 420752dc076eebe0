"""Answers to 00.3."""

from pyspark.sql import DataFrame
from pyspark.sql import functions as F


def right_at_most_1999(clicks: DataFrame) -> DataFrame:
    """Whole milliseconds: at most 1999 is less than two seconds; decimals in the division."""
    return clicks.where("ms_on_page <= 1999").selectExpr(
        "ms_on_page / 1000.0 AS seconds", "page", "event_id"
    )


def right_single_precision(clicks: DataFrame) -> DataFrame:
    """Seconds as a FLOAT: a number with fractions."""
    timed = clicks.withColumn("seconds", (F.col("ms_on_page") / 1000).cast("float"))
    return timed.filter("ms_on_page < 2000").select("event_id", "page", "seconds")


def right_rounded_to_a_millisecond(clicks: DataFrame) -> DataFrame:
    """Divided first, rounded to three places, whole seconds compared, a watermark that nothing needs."""
    timed = clicks.withWatermark("event_time", "0 seconds").withColumn(
        "seconds", F.round(F.col("ms_on_page") / F.lit(1e3), 3)
    )
    return timed.filter(F.floor("seconds") < 2).select("event_id", "page", "seconds")


def right_in_sql(clicks: DataFrame) -> DataFrame:
    """SQL with the DataFrame as a parameter, and a decimal of its own scale."""
    return clicks.sparkSession.sql(
        "SELECT event_id, page, CAST(ms_on_page / 1000 AS DECIMAL(12, 3)) AS seconds "
        "FROM {clicks} WHERE NOT ms_on_page >= 2000",
        clicks=clicks,
    )


def right_put_in_order_by_range(clicks: DataFrame) -> DataFrame:
    """The rows of each batch spread by a shuffle: in whatever order they come."""
    short = clicks.filter(F.col("ms_on_page") < 2000).repartition(2, "page")
    return short.select("event_id", "page", F.expr("ms_on_page * 0.001D").alias("seconds"))


def wrong_unknown_is_quick(clicks: DataFrame) -> DataFrame:
    """A click whose time is unknown counts as quick"""
    short = clicks.filter(F.col("ms_on_page").isNull() | (F.col("ms_on_page") < 2000))
    return short.select("event_id", "page", (F.col("ms_on_page") / 1000).alias("seconds"))


def wrong_unknown_is_zero(clicks: DataFrame) -> DataFrame:
    """Nulls made zero first, so that an unknown time comes out as 0.0 seconds"""
    short = clicks.na.fill(0, subset=["ms_on_page"]).filter(F.col("ms_on_page") < 2000)
    return short.select("event_id", "page", (F.col("ms_on_page") / 1000).alias("seconds"))


def wrong_sorted_within_partitions(clicks: DataFrame) -> DataFrame:
    """sortWithinPartitions in place of orderBy

    It asks for no end, only for order among the rows of a task; Spark refuses it on a stream all the same
    (to my knowledge).
    """
    short = clicks.filter(F.col("ms_on_page") < 2000).sortWithinPartitions("event_time")
    return short.select("event_id", "page", (F.col("ms_on_page") / 1000).alias("seconds"))


def wrong_starts_one_beside(clicks: DataFrame) -> DataFrame:
    """The rows returned as they should be, and a query started beside for the console

    Half repaired: a query is still started in the function ("which line starts a query, although that is not
    this function's business?").
    """
    short = clicks.filter(F.col("ms_on_page") < 2000)
    rows = short.select("event_id", "page", (F.col("ms_on_page") / 1000).alias("seconds"))
    rows.writeStream.format("noop").trigger(availableNow=True).start().awaitTermination()
    return rows


def wrong_asks_whether_it_is_empty(clicks: DataFrame) -> DataFrame | None:
    """Asks whether it is empty."""
    short = clicks.filter("ms_on_page < 2000")
    if short.isEmpty():
        return None
    return short.selectExpr("event_id", "page", "ms_on_page / 1000 AS seconds")


def wrong_casts_to_int(clicks: DataFrame) -> DataFrame:
    """Casts to int."""
    short = clicks.filter("ms_on_page < 2000")
    return short.selectExpr("event_id", "page", "INT(ms_on_page / 1000) AS seconds")


def wrong_keeps_all_columns(clicks: DataFrame) -> DataFrame:
    """Keeps all columns."""
    return clicks.filter("ms_on_page < 2000").withColumn("seconds", F.col("ms_on_page") / 1000)
