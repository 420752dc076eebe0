"""Gold tables that count clicks twice, miss some, or put them into the wrong window."""

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F

PLACE = ["partition", "offset"]


def _clicks(silver: DataFrame) -> DataFrame:
    return silver.where("page IS NOT NULL")


def _counts(clicks: DataFrame, window: Column | None = None) -> DataFrame:
    window = F.window("event_time", "5 seconds") if window is None else window
    counts = clicks.groupBy("page", window).agg(F.count("*").alias("clicks"))
    return counts.select(
        "page", F.col("window.start").alias("start"), F.col("window.end").alias("end"), "clicks"
    )


def _limit(spark: SparkSession) -> int:
    return int(spark.conf.get("shop.limit") or 0)


def _over(spark: SparkSession, counts: DataFrame) -> DataFrame:
    return counts.where(F.col("clicks") > _limit(spark))


def written_twice_counted_twice(spark: SparkSession, silver: DataFrame) -> DataFrame:
    """Duplicates counted

    A click that is in silver twice, with the same partition and offset, was counted as two clicks. How can you
    count different records instead of rows?
    """
    return _over(spark, _counts(_clicks(silver)))


def twins_taken_for_copies(spark: SparkSession, silver: DataFrame) -> DataFrame:
    """Deduplication by page and time

    Two different records have the same page and time, and only one of them was counted. Which columns identify
    a record?
    """
    return _over(spark, _counts(_clicks(silver.dropDuplicates(["page", "event_time"]))))


def offsets_without_partition(spark: SparkSession, silver: DataFrame) -> DataFrame:
    """Deduplication by offset only

    Records of two partitions have the same offset, and only one of them was counted. Each partition has its own
    offsets from 0 on. Which two columns identify a record?
    """
    return _over(spark, _counts(_clicks(silver.dropDuplicates(["offset"]))))


def as_told_by_the_operational_twin(spark: SparkSession, silver: DataFrame) -> DataFrame:
    """Late clicks left out

    Clicks that arrived minutes late are not in gold. The operational pipeline must drop them, because it cannot
    wait. Why is that not necessary for a table that is recomputed?
    """
    in_time = _clicks(silver.dropDuplicates(PLACE)).where(
        "arrived <= event_time + INTERVAL 10 SECONDS"
    )
    return _over(spark, _counts(in_time))


def in_the_window_of_arrival(spark: SparkSession, silver: DataFrame) -> DataFrame:
    """Windows by arrival time

    The windows are based on `arrived`, so late clicks are not in the window in which the visitor clicked. The
    twins then have to differ. Which column belongs into `F.window`?
    """
    window = F.window("arrived", "5 seconds").alias("window")
    return _over(spark, _counts(_clicks(silver.dropDuplicates(PLACE)), window))


def clicks_on_no_page(spark: SparkSession, silver: DataFrame) -> DataFrame:
    """Clicks without a page counted

    Clicks without a page are a page of their own in gold. For `groupBy`, null is a group like any other. At
    which point should these clicks be removed?
    """
    return _over(spark, _counts(silver.dropDuplicates(PLACE)))


def at_the_limit(spark: SparkSession, silver: DataFrame) -> DataFrame:
    """Limit included

    With a limit of 3, a page with 3 clicks is in gold. The task requires *more* than the limit. Which
    comparison do you need?
    """
    counts = _counts(_clicks(silver.dropDuplicates(PLACE)))
    return counts.where(F.col("clicks") >= _limit(spark))


def limit_of_the_check(spark: SparkSession, silver: DataFrame) -> DataFrame:
    """Limit of the check written into the code

    The result is right with a limit of 3, and gold had the same pages with a limit of 2. The setting
    `shop.limit` has the limit that is valid now. How does your query read it?
    """
    return _counts(_clicks(silver.dropDuplicates(PLACE))).where(F.col("clicks") > 3)


def _counted_by(spark: SparkSession, silver: DataFrame, count: Column) -> DataFrame:
    window = F.window("event_time", "5 seconds")
    counts = _clicks(silver).groupBy("page", window).agg(count.alias("clicks"))
    return _over(spark, counts.select("page", "window.start", "window.end", "clicks"))


def _different(place: Column | str) -> Column:
    return F.size(F.collect_set(place)).cast("long")


def offsets_of_a_window(spark: SparkSession, silver: DataFrame) -> DataFrame:
    """Distinct offsets counted without the partition

    Two records of one page and window have the same offset in two partitions, and only one of them was counted.
    Each partition has its own offsets from 0 on. How can you count distinct pairs of partition and offset?
    """
    return _counted_by(spark, silver, _different("offset"))


def places_run_together(spark: SparkSession, silver: DataFrame) -> DataFrame:
    """Partition and offset concatenated

    /rye lacks a click. One record has partition 1 and offset 23, and one has partition 12 and offset 3.
    Concatenated, both are 123. How can the two numbers stay separate?
    """
    return _counted_by(spark, silver, _different(F.concat("partition", "offset")))


def about_right(spark: SparkSession, silver: DataFrame) -> DataFrame:
    """Approximate count

    /pie has 23 clicks, and gold has a different number. `approx_count_distinct` only estimates. That is enough
    for a chart, but gold must be exact. Which function collects distinct values exactly?
    """
    return _counted_by(spark, silver, F.approx_count_distinct(F.struct("partition", "offset")))


def empty_is_no_page(spark: SparkSession, silver: DataFrame) -> DataFrame:
    """Empty page left out

    The clicks with an empty page are not in gold. An empty string is a value, and null is not. Which condition
    removes only clicks without a page?
    """
    clicks = silver.dropDuplicates(PLACE).where("page <> ''")
    return _over(spark, _counts(clicks))
