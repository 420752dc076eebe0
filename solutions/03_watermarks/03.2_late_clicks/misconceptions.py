"""Ways in which late clicks are lost, or waited for too long."""

from pyspark.sql import DataFrame
from pyspark.sql import functions as F


def _count(clicks: DataFrame, delay: str) -> DataFrame:
    return (
        clicks.withWatermark("event_time", delay)
        .groupBy(F.window("event_time", "5 minutes"), "page")
        .agg(F.count("*").alias("clicks"))
    )


def window_length_as_delay(clicks: DataFrame) -> DataFrame:
    """The delay is as long as the window

    After step 1 the watermark stood {steps.1.delay} behind the newest click;
    {asked.steps.1.delay} are asked for. Window and delay answer different questions. The window
    says what is counted together, the delay how long to wait for stragglers after that. How long
    may a click be behind?
    """
    return _count(clicks, "5 minutes")


def minutes_for_seconds(clicks: DataFrame) -> DataFrame:
    """Minutes instead of seconds

    After step 1 the watermark stood {steps.1.delay} behind the newest click;
    {asked.steps.1.delay} are asked for. Read the unit of the delay once more.
    """
    return _count(clicks, "10 minutes")


def no_patience(clicks: DataFrame) -> DataFrame:
    """A delay of zero

    After step 1 the watermark stood {steps.1.delay} behind the newest click;
    {asked.steps.1.delay} are asked for. With no delay a window is over as soon as a batch has
    seen its end, and a click that comes a moment later is lost. A delay of zero does not mean "no
    watermark", it means "no mercy".
    """
    return _count(clicks, "0 seconds")


def against_the_wall_clock(clicks: DataFrame) -> DataFrame:
    """No click is left to be counted

    Not one click was counted, and there never was a watermark: no click with a time came so far
    as to set one. If you compare with current_timestamp(): that is the time at which the query runs,
    and when yesterday's clicks are replayed, every single one is late. Lateness is measured in
    event time, against the newest click that was seen. If you filter or convert anything else
    before the watermark: what is left of these clicks?
    """
    fresh = clicks.where(
        F.col("event_time") >= F.current_timestamp() - F.expr("INTERVAL 10 SECONDS")
    )
    return _count(fresh, "10 seconds")


def no_watermark(clicks: DataFrame) -> DataFrame:
    """No group that is ever final

    In append mode a row comes out once and is final, so Spark refuses groups that never are. A
    group is final once the watermark is at the end of its window. Here that takes two things: a window
    among the keys of groupBy, and a watermark that is set before groupBy, on the very column of
    which the window is made (a cast makes another column, without it). Which of the two is missing?
    """
    return clicks.groupBy(F.window("event_time", "5 minutes"), "page").agg(
        F.count("*").alias("clicks")
    )


def every_instant_its_own_group(clicks: DataFrame) -> DataFrame:
    """Grouped by the moment, not by the five minutes

    One window came out in several rows of the same page: only clicks of the very same second were
    counted together. The five minutes have to be in the grouping itself, as a window; naming them
    afterwards counts nothing together.
    """
    return (
        clicks.withWatermark("event_time", "10 seconds")
        .groupBy("event_time", "page")
        .agg(F.count("*").alias("clicks"))
        .select(F.window("event_time", "5 minutes").alias("window"), "page", "clicks")
    )


def a_minute_to_be_safe(clicks: DataFrame) -> DataFrame:
    """More patience than the task asks for

    After step 1 the watermark stood {steps.1.delay} behind the newest click;
    {asked.steps.1.delay} are asked for. On these clicks the same rows come at the same steps, and
    with more clicks they would come later: every second of delay is a second of waiting and of
    state.
    """
    return (
        clicks.withWatermark("event_time", "1 minute")
        .groupBy(F.window("event_time", "5 minutes"), "page")
        .agg(F.count("*").alias("clicks"))
    )


def windows_that_overlap(clicks: DataFrame) -> DataFrame:
    """Windows that overlap

    Windows came out that begin every minute, and a click counts in five of them. A third argument
    to `window` makes the windows slide. Five-minute windows side by side need only their length.
    """
    return (
        clicks.withWatermark("event_time", "10 seconds")
        .groupBy(F.window("event_time", "5 minutes", "1 minute"), "page")
        .agg(F.count("*").alias("clicks"))
    )


def counts_pages_that_are_known(clicks: DataFrame) -> DataFrame:
    """A click without a page is not counted

    The row without a page says 0 clicks. If you count a column: count() counts its values that
    are not null; of "*" it counts rows. If you add up a number for each click: this one adds 0.
    Is a click without a page a click?
    """
    return (
        clicks.withWatermark("event_time", "10 seconds")
        .groupBy(F.window("event_time", "5 minutes"), "page")
        .agg(F.count("page").alias("clicks"))
    )
