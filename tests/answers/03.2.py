"""Answers to 03.2, late clicks."""

from typing import Any

from pyspark.sql import DataFrame
from pyspark.sql import functions as F


def _count(clicks: DataFrame, delay: str = "10 seconds") -> DataFrame:
    return (
        clicks.withWatermark("event_time", delay)
        .groupBy(F.window("event_time", "5 minutes"), "page")
        .agg(F.count("*").alias("clicks"))
    )


def right_window_first(clicks: DataFrame) -> DataFrame:
    """Makes the window a column of its own before it groups; drops the time."""
    timed = clicks.withWatermark("event_time", "INTERVAL 10 SECONDS")
    windowed = timed.select(F.window(F.col("event_time"), "5 minutes").alias("window"), "page")
    return windowed.groupBy("page", "window").agg(F.count_if(F.lit(True)).alias("clicks"))


def right_window_built_again(clicks: DataFrame) -> DataFrame:
    """Takes the window apart and builds it again behind the count; the count as an INT."""
    counted = _count(clicks)
    window = F.struct(F.col("window.start").alias("start"), F.col("window.end").alias("end"))
    return counted.select(window.alias("window"), "page", F.col("clicks").cast("int"))


def right_time_parsed_again(clicks: DataFrame) -> DataFrame:
    """Calls to_timestamp on what is a timestamp already, before the watermark; harmless filter on the time."""
    timed = clicks.withColumn("event_time", F.to_timestamp("event_time"))
    return _count(
        timed.where(F.col("event_time").isNotNull()).repartition(2), "0 minutes 10 seconds"
    )


def right_all_in_sql(clicks: DataFrame) -> DataFrame:
    """A view with a watermark, a subquery that makes the window, and the count behind it, in SQL."""
    clicks.withWatermark("event_time", "10 seconds").createOrReplaceTempView("timed")
    return clicks.sparkSession.sql(
        "WITH windowed AS (SELECT window(event_time, '5 minutes') AS window, page FROM timed) "
        "SELECT window, page, count(1) AS clicks FROM windowed GROUP BY ALL"
    )


def wrong_page_names_without_slash(clicks: DataFrame) -> DataFrame:
    """Keeps only the pages home and sale, written without their slash

    No such filter is asked for, and it keeps nothing.
    """
    return _count(clicks.where(F.col("page").isin("home", "sale")))


def wrong_time_read_as_it_is_shown(clicks: DataFrame) -> DataFrame:
    """Reads the times by the pattern of the table, HH:mm:ss, so that each is null

    event_time is a timestamp already.
    """
    read = F.try_to_timestamp(F.col("event_time").cast("string"), F.lit("HH:mm:ss"))
    return _count(clicks.withColumn("event_time", read))


def wrong_another_year(clicks: DataFrame) -> DataFrame:
    """Keeps clicks of another day than the events' (a date left over from elsewhere)

    No date is named in the task.
    """
    return _count(clicks.where(F.to_date("event_time") == F.lit("2026-03-02").cast("date")))


def wrong_flags_of_known_pages(clicks: DataFrame) -> DataFrame:
    """Adds up a one for each click with a page and a zero for each without

    A click without a page is one; shows in step 6.
    """
    known = F.when(F.col("page").isNotNull(), 1).otherwise(0)
    return (
        clicks.withWatermark("event_time", "10 seconds")
        .groupBy(F.window("event_time", "5 minutes"), "page")
        .agg(F.sum(known).alias("clicks"))
    )


def wrong_by_the_second(clicks: DataFrame) -> DataFrame:
    """Groups by the moment cut to the second and watermarks that, and names the window afterwards

    Five minutes are to be counted together.
    """
    cut = clicks.withColumn("event_time", F.date_trunc("second", "event_time"))
    counted = cut.withWatermark("event_time", "10 seconds").groupBy("event_time", "page").count()
    window = F.window("event_time", "5 minutes").alias("window")
    return counted.select(window, "page", F.col("count").alias("clicks"))


def wrong_watermark_lost_on_the_way(clicks: DataFrame) -> DataFrame:
    """Sets the watermark first and casts the time to text and back afterwards, which loses it

    Append is refused.
    """
    timed = clicks.withWatermark("event_time", "10 seconds")
    cast = timed.withColumn("event_time", F.col("event_time").cast("string").cast("timestamp"))
    return cast.groupBy(F.window("event_time", "5 minutes"), "page").agg(
        F.count("*").alias("clicks")
    )


def _counted(clicks: DataFrame, *by: Any) -> DataFrame:
    return clicks.groupBy(*by).agg(F.count("*").alias("clicks"))


def _in_windows(clicks: DataFrame, *by: Any) -> DataFrame:
    return _counted(clicks, F.window("event_time", "5 minutes"), *by)


def wrong_windows_of_ten_minutes(clicks: DataFrame) -> DataFrame:
    """Windows of ten minutes."""
    late = clicks.withWatermark("event_time", "10 seconds")
    return _counted(late, F.window("event_time", "10 minutes"), "page")


def wrong_windows_that_slide(clicks: DataFrame) -> DataFrame:
    """Windows that slide."""
    late = clicks.withWatermark("event_time", "10 seconds")
    return _counted(late, F.window("event_time", "5 minutes", "1 minute"), "page")


def wrong_grouped_by_the_page_alone(clicks: DataFrame) -> DataFrame:
    """Grouped by the page alone."""
    return _counted(clicks.withWatermark("event_time", "10 seconds"), "page")


def wrong_five_seconds(clicks: DataFrame) -> DataFrame:
    """Five seconds."""
    return _in_windows(clicks.withWatermark("event_time", "5 seconds"), "page")
