"""Wrong ways to count the clicks of every ad, each from a belief that people hold."""

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
    """Only impressions that were clicked are counted

    Ads that nobody clicked are missing from the result, and a report without its zeros flatters
    everyone. Which kind of join keeps an impression that found no partner, and on which side of it
    do the impressions stand? If yours is of that kind: does something behind it, such as a filter
    that is not true of a null, take those rows out again?
    """
    timed = clicks.withWatermark("click_time", "3 hours")
    return _by_ad_and_hour(
        impressions.withWatermark("impression_time", "2 hours").join(timed, _within_the_hour())
    )


def counting_rows(impressions: DataFrame, clicks: DataFrame) -> DataFrame:
    """Every joined row is a click

    Ads that nobody clicked have a click. An impression without one comes out of the outer join as
    one row, too: its own columns, and nulls. Counting rows makes a click of it. What could you
    count that is absent from such a row?
    """
    timed = clicks.withWatermark("click_time", "3 hours")
    return (
        impressions.withWatermark("impression_time", "2 hours")
        .join(timed, _within_the_hour(), "leftOuter")
        .groupBy(F.window("impression_time", "1 hour"), "ad_id")
        .agg(F.count("*").alias("clicks"))
    )


def window_of_the_click(impressions: DataFrame, clicks: DataFrame) -> DataFrame:
    """The hour of a click is the hour when it was made

    Clicks stand in the hour in which they were made, and ads that nobody clicked are missing.
    Such an impression has no click time, and a row without a time belongs to no window. The task
    asks for the hour of the impression, which every row has.
    """
    timed = clicks.withWatermark("click_time", "3 hours")
    return (
        impressions.withWatermark("impression_time", "2 hours")
        .join(timed, _within_the_hour(), "leftOuter")
        .groupBy(F.window("click_time", "1 hour"), "ad_id")
        .agg(F.count("click_time").alias("clicks"))
    )


def either_side(impressions: DataFrame, clicks: DataFrame) -> DataFrame:
    """Within an hour means at most an hour apart

    Clicks from *before* the impression were counted. Nobody clicks on what was not shown yet:
    such a click belongs to an earlier impression. The hour begins with the impression.
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
    """Nothing says how early a click may be

    Clicks from *before* the impression were counted, and clicks stay in the state. A condition needs two
    limits for `click_time`, how early and how late. Spark lets impressions go by the one and clicks by
    the other. Which of them is missing?
    """
    timed = clicks.withWatermark("click_time", "3 hours")
    ended = F.expr("clicked_ad_id = ad_id AND click_time <= impression_time + INTERVAL 1 HOUR")
    return _by_ad_and_hour(
        impressions.withWatermark("impression_time", "2 hours").join(timed, ended, "leftOuter")
    )


def one_delay_for_both(impressions: DataFrame, clicks: DataFrame) -> DataFrame:
    """One query, one delay

    After step 2 the watermark stood at {steps.2.watermark}; it should stand at
    {asked.steps.2.watermark}. A click that may still come is turned away as late. Each stream has
    a delay of its own, two hours for impressions and three for clicks; the query then waits for
    the slower of the two.
    """
    timed = clicks.withWatermark("click_time", "2 hours")
    return _by_ad_and_hour(
        impressions.withWatermark("impression_time", "2 hours").join(
            timed, _within_the_hour(), "leftOuter"
        )
    )


def delays_swapped(impressions: DataFrame, clicks: DataFrame) -> DataFrame:
    """The watermark stands three hours behind the impressions

    After step 2 the watermark stood at {steps.2.watermark}, three hours behind the newest
    impression; it should stand at {asked.steps.2.watermark}. Impressions are two hours late at
    most, clicks three. Which delay stands at which stream?
    """
    timed = clicks.withWatermark("click_time", "2 hours")
    return _by_ad_and_hour(
        impressions.withWatermark("impression_time", "3 hours").join(
            timed, _within_the_hour(), "leftOuter"
        )
    )


def impressions_without_a_watermark(impressions: DataFrame, clicks: DataFrame) -> DataFrame:
    """Spark cannot tell when an hour is over

    Spark refused the query. In append mode a row of the report comes out once, when its hour is
    over. For that the key has to hold a window of `impression_time`, as a whole and not its start
    alone, and the impressions need a watermark on that very column. Which of the two is absent? (A
    column that is taken from the impressions before withWatermark has none.)
    """
    timed = clicks.withWatermark("click_time", "3 hours")
    return _by_ad_and_hour(impressions.join(timed, _within_the_hour(), "leftOuter"))


def open_ended(impressions: DataFrame, clicks: DataFrame) -> DataFrame:
    """Spark finds no end to the waiting for a click

    Spark refuses: with no end to the waiting it could never say that an impression stayed without
    a click. An outer join of two streams needs two things: a watermark on the clicks, which says
    how far they have come, and a comparison that says until when a click belongs to its impression.
    Is one of them absent from yours? If both are there, Spark cannot solve the comparison: each time
    must stand on a side of its own, at most with a fixed interval added. A difference of two timestamps
    or `unix_timestamp` of them is nothing that it solves.
    """
    timed = clicks.withWatermark("click_time", "3 hours")
    after = F.expr("clicked_ad_id = ad_id AND click_time >= impression_time")
    return _by_ad_and_hour(
        impressions.withWatermark("impression_time", "2 hours").join(timed, after, "leftOuter")
    )
