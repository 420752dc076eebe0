"""Answers to 06.1: other right ways to count clicks per ad, and wrong ones that nobody has listed."""

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


def right_join_from_the_clicks(impressions: DataFrame, clicks: DataFrame) -> DataFrame:
    """Clicks stand on the left of a right join; counts with count_if, columns in another order

    The impressions are kept, on the right side of a right outer join.
    """
    shown = impressions.withWatermark("impression_time", "120 minutes")
    clicked = clicks.withWatermark("click_time", "180 minutes")
    return (
        clicked.join(shown, _within_the_hour(), "rightOuter")
        .groupBy("ad_id", F.window(F.col("impression_time"), "60 minutes"))
        .agg(F.expr("count_if(clicked_ad_id IS NOT NULL)").alias("clicks"))
        .select("clicks", "ad_id", "window")
    )


def right_conditions_as_a_list(impressions: DataFrame, clicks: DataFrame) -> DataFrame:
    """Three conditions in a list; the clicks are collected and their list measured

    collect_list leaves nulls out, so an impression without a click has an empty list: size 0.
    """
    shown = impressions.withWatermark("impression_time", "2 hours")
    clicked = clicks.withWatermark("click_time", "3 hours")
    conditions = [
        shown["ad_id"] == clicked["clicked_ad_id"],
        clicked["click_time"] >= shown["impression_time"],
        clicked["click_time"] - F.expr("INTERVAL 1 HOUR") <= shown["impression_time"],
    ]
    return (
        shown.join(clicked, conditions, "left_outer")
        .groupBy(F.window("impression_time", "1 hour"), "ad_id")
        .agg(F.size(F.collect_list("click_time")).alias("clicks"))
    )


def wrong_left_join_then_not_null(impressions: DataFrame, clicks: DataFrame) -> DataFrame:
    """A left join as asked, and behind it a filter that takes the impressions without a click out

    Shoes of 13:50 with 0 clicks are missing in step 5.
    """
    timed = clicks.withWatermark("click_time", "3 hours")
    joined = impressions.withWatermark("impression_time", "2 hours").join(
        timed, _within_the_hour(), "leftOuter"
    )
    return _by_ad_and_hour(joined.where("click_time IS NOT NULL"))


def wrong_difference_of_the_times(impressions: DataFrame, clicks: DataFrame) -> DataFrame:
    """The condition has both ends, written as a difference of the two times

    Refused: Spark cannot solve it.
    """
    near = F.expr(
        "clicked_ad_id = ad_id AND click_time - impression_time >= INTERVAL 0 MINUTES "
        "AND click_time - impression_time <= INTERVAL 1 HOUR"
    )
    timed = clicks.withWatermark("click_time", "3 hours")
    return _by_ad_and_hour(
        impressions.withWatermark("impression_time", "2 hours").join(timed, near, "leftOuter")
    )


def wrong_unix_seconds(impressions: DataFrame, clicks: DataFrame) -> DataFrame:
    """Both ends are there, compared as unix_timestamp

    Refused.
    """
    near = F.expr(
        "clicked_ad_id = ad_id AND unix_timestamp(click_time) >= unix_timestamp(impression_time) "
        "AND unix_timestamp(click_time) <= unix_timestamp(impression_time) + 3600"
    )
    timed = clicks.withWatermark("click_time", "3 hours")
    return _by_ad_and_hour(
        impressions.withWatermark("impression_time", "2 hours").join(timed, near, "leftOuter")
    )


def wrong_whole_seconds(impressions: DataFrame, clicks: DataFrame) -> DataFrame:
    """Compares the times as whole seconds (CAST AS LONG), which Spark does solve

    A click 0.9 s more than an hour after the impression counts, and one from half a second *before* it may.
    """
    near = F.expr(
        "clicked_ad_id = ad_id AND CAST(click_time AS LONG) >= CAST(impression_time AS LONG) "
        "AND CAST(click_time AS LONG) <= CAST(impression_time AS LONG) + 3600"
    )
    timed = clicks.withWatermark("click_time", "3 hours")
    return _by_ad_and_hour(
        impressions.withWatermark("impression_time", "2 hours").join(timed, near, "leftOuter")
    )


def _clicked(impressions: DataFrame, clicks: DataFrame, until: str) -> DataFrame:
    late = impressions.withWatermark("impression_time", "2 hours")
    condition = f"clicked_ad_id = ad_id AND click_time >= impression_time AND {until}"
    joined = late.join(
        clicks.withWatermark("click_time", "3 hours"), F.expr(condition), "leftOuter"
    )
    hours = joined.groupBy(F.window("impression_time", "1 hour"), "ad_id")
    return hours.agg(F.count("click_time").alias("clicks"))


def wrong_exactly_an_hour_left_out(impressions: DataFrame, clicks: DataFrame) -> DataFrame:
    """Exactly an hour left out."""
    until = "click_time < impression_time + INTERVAL 1 HOUR"
    return _clicked(impressions, clicks, until)


def wrong_in_the_hour_of_the_clock(impressions: DataFrame, clicks: DataFrame) -> DataFrame:
    """In the hour of the clock."""
    until = "DATE_TRUNC('hour', click_time) = DATE_TRUNC('hour', impression_time)"
    return _clicked(impressions, clicks, until)


def wrong_window_before_the_join(impressions: DataFrame, clicks: DataFrame) -> DataFrame:
    """The hour is made of the impression's time before the join

    Spark refuses: two columns in front of the join bear a watermark.
    """
    shown = impressions.withWatermark("impression_time", "2 hours").withColumn(
        "window", F.window("impression_time", "1 hour")
    )
    joined = shown.join(
        clicks.withWatermark("click_time", "3 hours"), _within_the_hour(), "leftOuter"
    )
    return joined.groupBy("window", "ad_id").agg(F.count("click_time").alias("clicks"))
