"""Repairs that still lose sales, come late, or do not start."""

from pyspark.sql import DataFrame, GroupedData
from pyspark.sql import functions as F


def _stamped(sales: DataFrame, delay: str) -> DataFrame:
    stamped = sales.withColumn("minute", F.date_trunc("minute", "sold_at"))
    return (
        stamped.withWatermark("minute", delay)
        .groupBy("minute", "till")
        .agg(F.sum("cents").alias("cents"))
    )


def _named(groups: GroupedData, edge: str = "start") -> DataFrame:
    counted = groups.agg(F.sum("cents").alias("cents"))
    return counted.select(F.col(f"window.{edge}").alias("minute"), "till", "cents")


def _windowed(sales: DataFrame, delay: str, *, edge: str = "start") -> DataFrame:
    timed = sales.withWatermark("sold_at", delay)
    return _named(timed.groupBy(F.window("sold_at", "1 minute"), "till"), edge)


def as_it_was(sales: DataFrame) -> DataFrame:
    """A minute comes out with its first sales

    Step 1 gave out {steps.1.rows} rows of a minute that was not over, and step 2 dropped
    {steps.2.dropped} of the same minute. Equal times and a delay of nothing: the watermark stands
    at the minute itself, all that has this time or an older one is final, and what comes later with
    the same time is late.
    """
    return _stamped(sales, "0 seconds")


def patience_with_a_stamp(sales: DataFrame) -> DataFrame:
    """A minute comes out as soon as the next one begins

    The minute 12:00 came out in step 2, with the first sale of 12:01, and sales that were 20 seconds
    behind or less were dropped after that. A time that has been cut down to its minute has lost its
    seconds, and a delay of 20 seconds cannot bring them back. Which time does the watermark
    look at?
    """
    return _stamped(sales, "20 seconds")


def a_minute_with_a_stamp(sales: DataFrame) -> DataFrame:
    """A minute is over when the watermark reaches its beginning

    After step 2 the watermark stood at {steps.2.watermark}, and the minute 12:00 came out; sales of
    it in the steps 3 and 4 were dropped. A bare time, cut down to its minute and grouped without a
    window, has no end but itself. Is there a `window` among your keys? And which time does the
    watermark look at?
    """
    return _stamped(sales, "1 minute")


def a_minute_for_the_stamp(sales: DataFrame) -> DataFrame:
    """A minute comes out a minute late

    No sale in time is lost any more, but the minute 12:00 came out in step 5; it was over for good
    in step 4. Where the times have lost their seconds, only a longer delay can make up for them. Leave
    them their seconds.
    """
    return _stamped(sales, "80 seconds")


def window_of_a_stamp(sales: DataFrame) -> DataFrame:
    """A minute counts a sale that found it over

    No sale in time is lost any more, but the minute 12:00 came out in step 5, with a sale of that
    step; it was over for good in step 4. After step 4 the watermark stood {steps.4.delay} behind
    the newest sale; {asked.steps.4.delay} are asked for. From 12:01:05 to 12:01:20 it did not move,
    as if all sales of a minute bore one time. Leave them their seconds, and let the window do the
    cutting.
    """
    stamped = sales.withColumn("minute", F.date_trunc("minute", "sold_at"))
    timed = stamped.withWatermark("minute", "20 seconds")
    return _named(timed.groupBy(F.window("minute", "1 minute"), "till"))


def each_moment_for_itself(sales: DataFrame) -> DataFrame:
    """Each moment is a group of its own

    Step 1 gave out {steps.1.rows} rows of till A and the minute 12:00, each of one moment, and later
    steps gave out more. The watermark sees the seconds now, but the sales of a minute are not added
    up. Which key holds all moments of a minute, and has an end that the watermark can reach?
    """
    moments = sales.withWatermark("sold_at", "20 seconds").groupBy("sold_at", "till")
    counted = moments.agg(F.sum("cents").alias("cents"))
    return counted.select(F.date_trunc("minute", "sold_at").alias("minute"), "till", "cents")


def still_no_patience(sales: DataFrame) -> DataFrame:
    """A delay of zero

    After step 1 the watermark stood at {steps.1.watermark}, which is the newest sale itself;
    {asked.steps.1.delay} of patience are asked for. The minutes have an end now. But a sale that is
    a few seconds behind finds its minute closed.
    """
    return _windowed(sales, "0 seconds")


def a_minute_to_be_safe(sales: DataFrame) -> DataFrame:
    """The delay is as long as the minute

    After step 1 the watermark stood {steps.1.delay} behind the newest sale; {asked.steps.1.delay}
    are asked for. How long a window is and how late a sale may be are two questions.
    """
    return _windowed(sales, "1 minute")


def unseen_watermark(sales: DataFrame) -> DataFrame:
    """Spark cannot see when a minute is over

    Spark refused the query. Among the keys of the grouping has to be the very column that
    withWatermark was set on, put into a `window` or left as it is. A date_trunc of it is another
    column; so are a field of the window, such as its start, and the column of the DataFrame from
    before withWatermark, `sales.sold_at`. Name it as text, "sold_at", behind a withWatermark, and
    group by the window as a whole.
    """
    timed = sales.withWatermark("sold_at", "20 seconds")
    return timed.groupBy(F.date_trunc("minute", "sold_at").alias("minute"), "till").agg(
        F.sum("cents").alias("cents")
    )


def named_by_its_end(sales: DataFrame) -> DataFrame:
    """The minutes bear the name of their end

    The sums are right and come in time, but the minute from 12:00 to 12:01 is called 12:01. The task
    names it by its first moment, as the pipeline did before.
    """
    return _windowed(sales, "20 seconds", edge="end")
