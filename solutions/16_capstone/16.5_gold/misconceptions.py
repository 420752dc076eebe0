"""Gold that has clicks twice, or lacks some, or has them in another window."""

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
    """What was written twice counts twice

    A click that stands in silver twice, with the same place in the topic, was counted as two clicks.
    """
    return _over(spark, _counts(_clicks(silver)))


def twins_taken_for_copies(spark: SparkSession, silver: DataFrame) -> DataFrame:
    """Two clicks in one moment are one

    Two records with a place of their own have the same page and time, and only one of them was counted. That two
    clicks are alike does not make them one: their place in the topic says that they are two.
    """
    return _over(spark, _counts(_clicks(silver.dropDuplicates(["page", "event_time"]))))


def offsets_without_partition(spark: SparkSession, silver: DataFrame) -> DataFrame:
    """An offset stands for one record only

    Records of two partitions have the same offset, and only one of them was counted. Each partition counts its own
    from 0.
    """
    return _over(spark, _counts(_clicks(silver.dropDuplicates(["offset"]))))


def as_told_by_the_operational_twin(spark: SparkSession, silver: DataFrame) -> DataFrame:
    """Late clicks are missing from the truth

    Clicks that came minutes late are not in gold. The operational twin has to drop them, as it cannot wait; a table can
    be counted anew.
    """
    in_time = _clicks(silver.dropDuplicates(PLACE)).where(
        "arrived <= event_time + INTERVAL 10 SECONDS"
    )
    return _over(spark, _counts(in_time))


def in_the_window_of_arrival(spark: SparkSession, silver: DataFrame) -> DataFrame:
    """Clicks stand in the window in which they arrived

    The windows are those of `arrived`, so clicks that came late are in another window than the one in which somebody
    clicked, and the twins have to disagree.
    """
    window = F.window("arrived", "5 seconds").alias("window")
    return _over(spark, _counts(_clicks(silver.dropDuplicates(PLACE)), window))


def clicks_on_no_page(spark: SparkSession, silver: DataFrame) -> DataFrame:
    """A page without a name

    Clicks that name no page are a page of their own in gold. The operational twin leaves them out; what the twins do not
    share is a reason to disagree.
    """
    return _over(spark, _counts(silver.dropDuplicates(PLACE)))


def at_the_limit(spark: SparkSession, silver: DataFrame) -> DataFrame:
    """Pages that only reach the limit are in gold

    With a limit of 3 a page with 3 clicks is there. *More* than the limit is asked for, as in the operational twin.
    """
    counts = _counts(_clicks(silver.dropDuplicates(PLACE)))
    return counts.where(F.col("clicks") >= _limit(spark))


def limit_of_the_check(spark: SparkSession, silver: DataFrame) -> DataFrame:
    """The limit is written down

    It is right with 3, which is the limit of the first run, and gold held the same pages when the limit was 2. The
    setting `shop.limit` says what holds.
    """
    return _counts(_clicks(silver.dropDuplicates(PLACE))).where(F.col("clicks") > 3)


def _counted_by(spark: SparkSession, silver: DataFrame, count: Column) -> DataFrame:
    window = F.window("event_time", "5 seconds")
    counts = _clicks(silver).groupBy("page", window).agg(count.alias("clicks"))
    return _over(spark, counts.select("page", "window.start", "window.end", "clicks"))


def _different(place: Column | str) -> Column:
    return F.size(F.collect_set(place)).cast("long")


def offsets_of_a_window(spark: SparkSession, silver: DataFrame) -> DataFrame:
    """Two places that count as one

    Two records of one page and window lie at the same offset of two partitions, and only one of them was counted. Each
    partition counts its own from 0: a record's place is both, `F.struct("partition", "offset")`.
    """
    return _counted_by(spark, silver, _different("offset"))


def places_run_together(spark: SparkSession, silver: DataFrame) -> DataFrame:
    """Two places that look like one when they are run together

    /rye lacks a click: one lay in partition 1 at offset 23 and one in partition 12 at offset 3, and run together both are
    123. Keep the two numbers apart: `F.struct("partition", "offset")`.
    """
    return _counted_by(spark, silver, _different(F.concat("partition", "offset")))


def about_right(spark: SparkSession, silver: DataFrame) -> DataFrame:
    """An estimate for the truth

    /pie has 23 clicks, and gold says another number. `approx_count_distinct` counts only about right, which is enough for a
    chart; the truth is counted.
    """
    return _counted_by(spark, silver, F.approx_count_distinct(F.struct("partition", "offset")))
