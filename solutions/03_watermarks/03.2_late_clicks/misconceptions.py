"""Ways in which late clicks are dropped, or waited for longer than required."""

from pyspark.sql import DataFrame
from pyspark.sql import functions as F


def _count(clicks: DataFrame, delay: str) -> DataFrame:
    return (
        clicks.withWatermark("event_time", delay)
        .groupBy(F.window("event_time", "5 minutes"), "page")
        .agg(F.count("*").alias("clicks"))
    )


def window_length_as_delay(clicks: DataFrame) -> DataFrame:
    """Watermark delay equals window length

    After step 1 the watermark was {steps.1.delay} behind the newest click; expected
    {asked.steps.1.delay}. The window length says which clicks are counted together. The delay
    says how long to wait for late clicks. How far behind may a click be?
    """
    return _count(clicks, "5 minutes")


def minutes_for_seconds(clicks: DataFrame) -> DataFrame:
    """Delay in minutes instead of seconds

    After step 1 the watermark was {steps.1.delay} behind the newest click; expected
    {asked.steps.1.delay}. Which unit does the task give for the delay?
    """
    return _count(clicks, "10 minutes")


def no_patience(clicks: DataFrame) -> DataFrame:
    """Delay of zero

    After step 1 the watermark was {steps.1.delay} behind the newest click; expected
    {asked.steps.1.delay}. A delay of zero is not "no watermark". A window closes as soon as a
    batch reaches its end, and Spark drops every click of it that arrives after that. How far
    behind may a click be?
    """
    return _count(clicks, "0 seconds")


def against_the_wall_clock(clicks: DataFrame) -> DataFrame:
    """No click with a time reached the watermark

    Spark counted no click, and the watermark never advanced. If you compare with
    current_timestamp(): that is processing time. When yesterday's clicks are replayed, each of
    them is late by the wall clock. Lateness is measured in event time, against the newest click
    so far. If you filter or convert anything else before withWatermark: which of these clicks
    are left?
    """
    fresh = clicks.where(
        F.col("event_time") >= F.current_timestamp() - F.expr("INTERVAL 10 SECONDS")
    )
    return _count(fresh, "10 seconds")


def no_watermark(clicks: DataFrame) -> DataFrame:
    """No group that is ever final

    Append mode emits each row once, when it is final, so Spark refuses groups that never become
    final. A group is final when the watermark has reached the end of its window. That needs two
    things. A window must be among the keys of groupBy. And withWatermark must come before
    groupBy, on the same column that the window is made of; a cast makes another column. Which
    of the two is missing?
    """
    return clicks.groupBy(F.window("event_time", "5 minutes"), "page").agg(
        F.count("*").alias("clicks")
    )


def every_instant_its_own_group(clicks: DataFrame) -> DataFrame:
    """Grouping by the moment instead of the window

    Spark emitted several rows of the same page for one window: it counted only clicks of the
    same second together. The window must be a key of groupBy; a window that is computed after
    the aggregation counts nothing together. Which keys does your groupBy have?
    """
    return (
        clicks.withWatermark("event_time", "10 seconds")
        .groupBy("event_time", "page")
        .agg(F.count("*").alias("clicks"))
        .select(F.window("event_time", "5 minutes").alias("window"), "page", "clicks")
    )


def a_minute_to_be_safe(clicks: DataFrame) -> DataFrame:
    """Delay longer than the task allows

    After step 1 the watermark was {steps.1.delay} behind the newest click; expected
    {asked.steps.1.delay}. On these clicks the same rows are emitted in the same steps. With
    more clicks they would be emitted later, and more windows would be in state. How far behind
    may a click be?
    """
    return (
        clicks.withWatermark("event_time", "1 minute")
        .groupBy(F.window("event_time", "5 minutes"), "page")
        .agg(F.count("*").alias("clicks"))
    )


def windows_that_overlap(clicks: DataFrame) -> DataFrame:
    """Sliding windows instead of tumbling windows

    Spark emitted windows that begin every minute, and counted each click in five of them. A
    third argument of `window`, the slide, makes windows overlap. Which arguments does a
    tumbling window of five minutes need?
    """
    return (
        clicks.withWatermark("event_time", "10 seconds")
        .groupBy(F.window("event_time", "5 minutes", "1 minute"), "page")
        .agg(F.count("*").alias("clicks"))
    )


def counts_pages_that_are_known(clicks: DataFrame) -> DataFrame:
    """Count of a column that may be null

    The row without a page has 0 clicks. If you count a column: `count("page")` counts the rows
    in which `page` is not null; `count("*")` counts all rows. If you add up a number for each
    click: this click adds 0. Is a click without a page a click?
    """
    return (
        clicks.withWatermark("event_time", "10 seconds")
        .groupBy(F.window("event_time", "5 minutes"), "page")
        .agg(F.count("page").alias("clicks"))
    )


def clicks_without_a_page_left_out(clicks: DataFrame) -> DataFrame:
    """Clicks without a page left out

    Spark emitted no row with a null page. A filter keeps a row only if its condition is true, and a
    comparison with null is never true. The method `dropna` removes the row as well. Which line of
    your query looks at `page` before the count?
    """
    return _count(clicks.where(F.col("page").isNotNull()), "10 seconds")


def null_page_replaced(clicks: DataFrame) -> DataFrame:
    """Null page replaced by a string

    The clicks without a page are counted together, but their row has a string as `page` where null
    is expected. A null is a grouping key like any other value. What replaces it in your query?
    """
    return _count(clicks.fillna("unknown", ["page"]), "10 seconds")
