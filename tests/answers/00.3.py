"""Answers to 00.3."""

from collections.abc import Iterable, Iterator

import pyarrow as pa
import pyarrow.compute as pc
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


def _seconds(clicks: DataFrame) -> DataFrame:
    return clicks.select("event_id", "page", (F.col("ms_on_page") / 1000).alias("seconds"))


def right_in_arrow(clicks: DataFrame) -> DataFrame:
    """Whole Arrow batches filtered and divided with pyarrow; a null is not less, so it goes."""

    def keep(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            short = batch.filter(pc.less(batch.column("ms_on_page"), 2000))
            seconds = pc.divide(pc.cast(short.column("ms_on_page"), pa.float64()), 1000.0)
            yield pa.RecordBatch.from_arrays(
                [short.column("event_id"), short.column("page"), seconds],
                names=["event_id", "page", "seconds"],
            )

    columns = clicks.select("event_id", "page", "ms_on_page")
    return columns.mapInArrow(keep, "event_id STRING, page STRING, seconds DOUBLE")


def right_by_a_python_udf(clicks: DataFrame) -> DataFrame:
    """A Python UDF that gives the seconds of a quick look, and null for any other; nulls are dropped."""

    @F.udf("double")
    def quick(ms: int | None) -> float | None:
        return ms / 1000 if ms is not None and ms < 2000 else None

    timed = clicks.withColumn("seconds", quick("ms_on_page"))
    return timed.dropna(subset=["seconds"]).select("seconds", "event_id", "page")


def wrong_hundredths(clicks: DataFrame) -> DataFrame:
    """Rounded to two places

    "To the millisecond": e05 (1999 ms) comes out as 2.0, e11 (1005 ms) as 1.01 or 1.0.
    """
    rounded = F.round(F.col("ms_on_page") / 1000, 2).alias("seconds")
    return clicks.filter(F.col("ms_on_page") < 2000).select("event_id", "page", rounded)


def wrong_compared_after_rounding(clicks: DataFrame) -> DataFrame:
    """Seconds rounded to a tenth for the comparison, and exact in the result

    1950 to 1999 ms round to 2.0: e05 is lost.
    """
    return _seconds(clicks.filter(F.round(F.col("ms_on_page") / 1000, 1) < 2))
