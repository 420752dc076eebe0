"""Wrong ways to count the clicks of every ad."""

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F


def _within_the_hour() -> Column:
    return F.expr(
        "clicked_ad_id = ad_id AND click_time >= impression_time "
        "AND click_time <= impression_time + INTERVAL 1 HOUR"
    )


def _by_ad_and_hour(joined: DataFrame) -> DataFrame:
    return joined.groupBy(F.window("impression_time", "1 hour"), "ad_id").agg(
        F.count("click_time").alias("clicks")
    )


def inner_join(impressions: DataFrame, clicks: DataFrame) -> DataFrame:
    """Only impressions with a click counted

    Ads without a click are missing from the result, and a report without its zeros is too
    optimistic. Which kind of join keeps an impression without a partner, and on which side of the
    join are the impressions? Perhaps your join is right, and an operator after it removes those
    rows. Is there a filter that is not true for a null?
    """
    timed = clicks.withWatermark("click_time", "3 hours")
    return _by_ad_and_hour(
        impressions.withWatermark("impression_time", "2 hours").join(timed, _within_the_hour())
    )


def counting_rows(impressions: DataFrame, clicks: DataFrame) -> DataFrame:
    """Every joined row counted as a click

    Ads without a click have a click. The outer join emits an impression without a click as one row,
    too: its own columns, and nulls. A count of rows counts that row as a click. Which column is
    null in such a row?
    """
    timed = clicks.withWatermark("click_time", "3 hours")
    return (
        impressions.withWatermark("impression_time", "2 hours")
        .join(timed, _within_the_hour(), "leftOuter")
        .groupBy(F.window("impression_time", "1 hour"), "ad_id")
        .agg(F.count("*").alias("clicks"))
    )


def window_of_the_click(impressions: DataFrame, clicks: DataFrame) -> DataFrame:
    """Hour of the click in place of the hour of the impression

    Clicks are in the hour in which they were made, and ads without a click are missing. An
    impression without a click has no click time, and a row without a time belongs to no window.
    Which time does every row have?
    """
    timed = clicks.withWatermark("click_time", "3 hours")
    return (
        impressions.withWatermark("impression_time", "2 hours")
        .join(timed, _within_the_hour(), "leftOuter")
        .groupBy(F.window("click_time", "1 hour"), "ad_id")
        .agg(F.count("click_time").alias("clicks"))
    )


def either_side(impressions: DataFrame, clicks: DataFrame) -> DataFrame:
    """Clicks from before the impression counted

    Clicks from up to 1 hour *before* the impression were counted. Such a click belongs to an
    earlier impression. The hour begins with the impression. What is the lower limit of `click_time`
    in your condition?
    """
    timed = clicks.withWatermark("click_time", "3 hours")
    near = F.expr(
        "clicked_ad_id = ad_id AND click_time >= impression_time - INTERVAL 1 HOUR "
        "AND click_time <= impression_time + INTERVAL 1 HOUR"
    )
    return _by_ad_and_hour(
        impressions.withWatermark("impression_time", "2 hours").join(timed, near, "leftOuter")
    )


def however_early(impressions: DataFrame, clicks: DataFrame) -> DataFrame:
    """No lower limit for the click time

    Clicks from *before* the impression were counted, and clicks stay in the state. A condition
    needs two limits for `click_time`, how early and how late. Spark evicts impressions by one of
    them and clicks by the other. Which one is missing?
    """
    timed = clicks.withWatermark("click_time", "3 hours")
    ended = F.expr("clicked_ad_id = ad_id AND click_time <= impression_time + INTERVAL 1 HOUR")
    return _by_ad_and_hour(
        impressions.withWatermark("impression_time", "2 hours").join(timed, ended, "leftOuter")
    )


def one_delay_for_both(impressions: DataFrame, clicks: DataFrame) -> DataFrame:
    """One delay for both streams

    After step 2 your watermark was {steps.2.watermark}; expected {asked.steps.2.watermark}. So your
    query drops a click that is in time. Each stream has its own delay, 2 hours for impressions and
    3 for clicks, and the query then uses the watermark of the slower stream. Which delay do your
    clicks have?
    """
    timed = clicks.withWatermark("click_time", "2 hours")
    return _by_ad_and_hour(
        impressions.withWatermark("impression_time", "2 hours").join(
            timed, _within_the_hour(), "leftOuter"
        )
    )


def delays_swapped(impressions: DataFrame, clicks: DataFrame) -> DataFrame:
    """Delay of 3 hours on the impressions

    After step 2 your watermark was {steps.2.watermark}, 3 hours behind the newest impression;
    expected {asked.steps.2.watermark}. Impressions may be up to 2 hours late, and clicks up to 3.
    Which delay belongs to which stream?
    """
    timed = clicks.withWatermark("click_time", "2 hours")
    return _by_ad_and_hour(
        impressions.withWatermark("impression_time", "3 hours").join(
            timed, _within_the_hour(), "leftOuter"
        )
    )


def impressions_without_a_watermark(impressions: DataFrame, clicks: DataFrame) -> DataFrame:
    """An hour that never closes

    Spark rejected the query. In append mode Spark emits a row of the report once, when its hour has
    closed. For that the grouping key needs a window of `impression_time` as a whole, and the
    impressions need a watermark on that column. The start of the window alone is not enough. A
    column that is taken from the impressions before withWatermark has no watermark. Which of the
    two is missing?
    """
    timed = clicks.withWatermark("click_time", "3 hours")
    return _by_ad_and_hour(impressions.join(timed, _within_the_hour(), "leftOuter"))


def open_ended(impressions: DataFrame, clicks: DataFrame) -> DataFrame:
    """No end of the wait for a click

    Spark rejected the query: without an end of the wait it can never emit an impression without a
    click. An outer join of two streams needs a watermark on the clicks, and a comparison that says
    until when a click belongs to its impression. Is one of them missing? If both are there, Spark
    can't solve the comparison. Each time must be on its own side, plus or minus a fixed interval.
    Spark does not solve a difference of two timestamps or of their `unix_timestamp`.
    """
    timed = clicks.withWatermark("click_time", "3 hours")
    after = F.expr("clicked_ad_id = ad_id AND click_time >= impression_time")
    return _by_ad_and_hour(
        impressions.withWatermark("impression_time", "2 hours").join(timed, after, "leftOuter")
    )


def an_hour_to_be_safe(impressions: DataFrame, clicks: DataFrame) -> DataFrame:
    """Watermark delays longer than the task allows

    After step 2 your watermark was {steps.2.watermark}; expected {asked.steps.2.watermark}. So your
    query counts an impression that is late, and it emits every hour later. A watermark delay is the
    lateness limit of the task, without a margin. What are the limits of the two streams?
    """
    timed = clicks.withWatermark("click_time", "4 hours")
    return _by_ad_and_hour(
        impressions.withWatermark("impression_time", "3 hours").join(
            timed, _within_the_hour(), "leftOuter"
        )
    )
