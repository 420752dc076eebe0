"""Windows that slide too little, too much or not at all, and pages that are filtered too early."""

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F


def _top(clicks: DataFrame, window: Column, *, at_least: int = 3, delay: str = "10 seconds"):
    return (
        clicks.withWatermark("event_time", delay)
        .groupBy(window.alias("window"), "page")
        .agg(F.count("*").alias("clicks"))
        .where(F.col("clicks") >= at_least)
    )


def windows_side_by_side(clicks: DataFrame) -> DataFrame:
    """Tumbling windows instead of sliding windows

    The windows do not overlap: Spark emitted 12:00–12:10, and no row contains 12:04–12:14 as a
    whole. Windows overlap if they begin more often than they are long. Which argument of
    `window` sets that?
    """
    return _top(clicks, F.window("event_time", "10 minutes"))


def offset_for_slide(clicks: DataFrame) -> DataFrame:
    """Offset instead of slide

    Spark emitted windows that begin at 11:52 and at 12:02: ten minutes long, without overlap.
    An offset moves all windows. Which argument sets how often a new window begins?
    """
    return _top(clicks, F.window("event_time", "10 minutes", startTime="2 minutes"))


def slide_before_length(clicks: DataFrame) -> DataFrame:
    """Slide longer than the window

    Spark refused the query: the slide of a window must not be longer than the window. In which
    order does `window` take length and slide?
    """
    return _top(clicks, F.window("event_time", "2 minutes", "10 minutes"))


def every_minute(clicks: DataFrame) -> DataFrame:
    """Slide below the state budget

    Spark emitted windows that begin every minute, and after step 1 there were {steps.1.state}
    rows in state; expected {asked.steps.1.state}. What did a slide of one minute cost with
    eight pages?
    """
    return _top(clicks, F.window("event_time", "10 minutes", "1 minute"))


def every_five_minutes(clicks: DataFrame) -> DataFrame:
    """Slide longer than the budget requires

    Spark emitted windows that begin every five minutes. That is within the budget, but rule 2
    requires the smallest slide that is. Which of the slides that you measured is that?
    """
    return _top(clicks, F.window("event_time", "10 minutes", "5 minutes"))


def two_minutes_long(clicks: DataFrame) -> DataFrame:
    """Slide passed as the length

    Spark emitted windows that are two minutes long and do not overlap. The length says how far
    a window reaches back, the slide how often a new window begins. Which two arguments set
    them?
    """
    return _top(clicks, F.window("event_time", "2 minutes"))


def more_than_three(clicks: DataFrame) -> DataFrame:
    """More than three clicks required

    The pages with exactly three clicks are missing. The task says three or more. Which
    comparison includes three?
    """
    return _top(clicks, F.window("event_time", "10 minutes", "2 minutes"), at_least=4)


def all_pages(clicks: DataFrame) -> DataFrame:
    """Pages with fewer than three clicks emitted

    Spark emitted rows with one click or two. The number of clicks is known only after the
    count. Which filter can follow the aggregation?
    """
    return _top(clicks, F.window("event_time", "10 minutes", "2 minutes"), at_least=1)


def slide_as_delay(clicks: DataFrame) -> DataFrame:
    """Watermark delay equals slide

    After step 1 the watermark was {steps.1.delay} behind the newest click; expected
    {asked.steps.1.delay}. The slide says how often windows begin. How far behind may a click
    be?
    """
    return _top(clicks, F.window("event_time", "10 minutes", "2 minutes"), delay="2 minutes")


def length_as_delay(clicks: DataFrame) -> DataFrame:
    """Watermark delay equals window length

    After step 1 the watermark was {steps.1.delay} behind the newest click; expected
    {asked.steps.1.delay}. The length says how far a window reaches back. How far behind may a
    click be?
    """
    return _top(clicks, F.window("event_time", "10 minutes", "2 minutes"), delay="10 minutes")


def no_patience(clicks: DataFrame) -> DataFrame:
    """Delay of zero

    After step 1 the watermark was {steps.1.watermark}, the newest click itself; expected
    {asked.steps.1.delay} behind it. None of these clicks needs the delay, so the rows are
    right. A later click may need it, and would find its window closed. How far behind may a
    click be?
    """
    return _top(clicks, F.window("event_time", "10 minutes", "2 minutes"), delay="0 seconds")


def no_watermark(clicks: DataFrame) -> DataFrame:
    """No watermark that Spark can use for the window

    Spark refused the query. Append mode emits each row once, when its window has closed. For
    that the window must be a grouping key, as a whole and not only its start. The watermark
    must be set before the grouping, on the column that the window is made of. The column
    `clicks.event_time` of the DataFrame before withWatermark is another column. Which of these
    conditions is not met?
    """
    return (
        clicks.groupBy(F.window("event_time", "10 minutes", "2 minutes"), "page")
        .agg(F.count("*").alias("clicks"))
        .where("clicks >= 3")
    )


def clicks_without_a_page_left_out(clicks: DataFrame) -> DataFrame:
    """Clicks without a page left out

    Spark emitted no row with a null page, and kept no state for it. A comparison with null is never
    true, and `dropna` removes the row as well. Which line of your query looks at `page` before the
    count?
    """
    known = clicks.where(F.col("page").isNotNull())
    return _top(known, F.window("event_time", "10 minutes", "2 minutes"))


def counts_pages_that_are_known(clicks: DataFrame) -> DataFrame:
    """Count of a column that may be null

    Spark emitted no row with a null page: the clicks without a page were counted as 0. The call `count` of a
    column skips rows in which the column is null. Which call counts rows?
    """
    return (
        clicks.withWatermark("event_time", "10 seconds")
        .groupBy(F.window("event_time", "10 minutes", "2 minutes"), "page")
        .agg(F.count("page").alias("clicks"))
        .where("clicks >= 3")
    )


def null_page_replaced(clicks: DataFrame) -> DataFrame:
    """Null page replaced by a string

    The clicks without a page are counted together, but their rows have a string as `page` where null
    is expected. A null is a grouping key like any other value. What replaces it in your query?
    """
    known = clicks.fillna("unknown", ["page"])
    return _top(known, F.window("event_time", "10 minutes", "2 minutes"))
