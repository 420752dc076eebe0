"""Repairs that still lose sales, emit late, or do not start."""

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
    """Minutes that are emitted with their first sales

    Step 1 emitted {steps.1.rows} rows of a minute that had not ended, and step 2 dropped
    {steps.2.dropped} of the same minute. All sales of a minute have the same time, and the
    delay is zero. So the watermark is the minute itself: this minute is final, and every later
    sale of it is late. Which time must the watermark see?
    """
    return _stamped(sales, "0 seconds")


def patience_with_a_stamp(sales: DataFrame) -> DataFrame:
    """Minutes that are emitted when the next one begins

    Spark emitted the minute 12:00 in step 2, with the first sale of 12:01. After that it
    dropped sales that were 20 seconds behind or less. A time that is truncated to the minute
    has no seconds, and a delay of 20 seconds cannot restore them. Which time does the watermark
    use?
    """
    return _stamped(sales, "20 seconds")


def a_minute_with_a_stamp(sales: DataFrame) -> DataFrame:
    """Minutes that close when the watermark reaches their beginning

    After step 2 the watermark was {steps.2.watermark}, and Spark emitted the minute 12:00. It
    dropped sales of this minute in steps 3 and 4. A bare time, truncated to the minute and
    grouped without a window, has no end except itself. Is there a `window` among your keys? And
    which time does the watermark use?
    """
    return _stamped(sales, "1 minute")


def a_minute_for_the_stamp(sales: DataFrame) -> DataFrame:
    """Longer delay for a truncated time

    Spark drops no sale within the limit any more, but it emitted the minute 12:00 in step 5;
    expected in step 4. If the times have lost their seconds, only a longer delay makes up for
    them. Which time still has its seconds?
    """
    return _stamped(sales, "80 seconds")


def window_of_a_stamp(sales: DataFrame) -> DataFrame:
    """Window of a truncated time

    Spark drops no sale within the limit any more. But it emitted the minute 12:00 in step 5,
    with a sale of that step; expected in step 4. After step 4 the watermark was {steps.4.delay}
    behind the newest sale; expected {asked.steps.4.delay}. From 12:01:05 to 12:01:20 the
    watermark did not advance, because all sales of a minute have the same truncated time. Which
    time must the watermark see?
    """
    stamped = sales.withColumn("minute", F.date_trunc("minute", "sold_at"))
    timed = stamped.withWatermark("minute", "20 seconds")
    return _named(timed.groupBy(F.window("minute", "1 minute"), "till"))


def each_moment_for_itself(sales: DataFrame) -> DataFrame:
    """Grouping by the moment instead of the minute

    Step 1 emitted {steps.1.rows} rows of register A and the minute 12:00, each of one moment,
    and later steps emitted more. The watermark sees the seconds now, but the sales of a minute
    are not added up. Which key contains all moments of a minute, and has an end that the
    watermark can reach?
    """
    moments = sales.withWatermark("sold_at", "20 seconds").groupBy("sold_at", "till")
    counted = moments.agg(F.sum("cents").alias("cents"))
    return counted.select(F.date_trunc("minute", "sold_at").alias("minute"), "till", "cents")


def still_no_patience(sales: DataFrame) -> DataFrame:
    """A delay of zero

    After step 1 the watermark was {steps.1.watermark}, the newest sale itself; expected
    {asked.steps.1.delay} behind it. The minutes have an end now. But a sale that is a few
    seconds behind finds its minute closed. How far behind may a sale be?
    """
    return _windowed(sales, "0 seconds")


def a_minute_to_be_safe(sales: DataFrame) -> DataFrame:
    """Watermark delay equals window length

    After step 1 the watermark was {steps.1.delay} behind the newest sale; expected
    {asked.steps.1.delay}. The window length says which sales are added up together. How far
    behind may a sale be?
    """
    return _windowed(sales, "1 minute")


def unseen_watermark(sales: DataFrame) -> DataFrame:
    """No watermark that Spark can use for the minute

    Spark refused the query. Among the grouping keys must be the column that withWatermark was
    set on, in a `window` or unchanged. A `date_trunc` of it is another column. So are a field
    of the window, such as its start, and the column `sales.sold_at` of the DataFrame before
    withWatermark. Which of your keys is made of the marked column?
    """
    timed = sales.withWatermark("sold_at", "20 seconds")
    return timed.groupBy(F.date_trunc("minute", "sold_at").alias("minute"), "till").agg(
        F.sum("cents").alias("cents")
    )


def named_by_its_end(sales: DataFrame) -> DataFrame:
    """Minutes named by their end

    The sums are right and are emitted in the right step, but the minute from 12:00 to 12:01 is
    called 12:01. The task names it by its first moment. Which field of the window is that?
    """
    return _windowed(sales, "20 seconds", edge="end")


def a_second_less(sales: DataFrame) -> DataFrame:
    """Delay shorter than required

    After step 1 the watermark was {steps.1.delay} behind the newest sale; expected {asked.steps.1.delay}. So
    the minute 12:00 closed in step 3, and Spark dropped a sale of it in step 4 that was exactly 20 seconds
    behind. How far behind may a sale be?
    """
    return _windowed(sales, "19 seconds")


def a_second_more(sales: DataFrame) -> DataFrame:
    """Delay longer than required

    After step 1 the watermark was {steps.1.delay} behind the newest sale; expected {asked.steps.1.delay}. So
    the minute 12:00 did not close in step 4, and a sale of step 5 was added to it. How far behind may
    a sale be?
    """
    return _windowed(sales, "21 seconds")


def sales_without_a_name_left_out(sales: DataFrame) -> DataFrame:
    """Sales without a register's name left out

    Spark emitted no row with a null `till`. A comparison with null is never true, and `dropna`
    removes the row as well. Which line of your query looks at `till` before the grouping?
    """
    return _windowed(sales.where(F.col("till").isNotNull()), "20 seconds")


def null_name_replaced(sales: DataFrame) -> DataFrame:
    """Null name replaced by a string

    The sales without a name have a row, but its `till` is a string where null is expected. A null is
    a grouping key like any other value. What replaces it in your query?
    """
    return _windowed(sales.fillna("unknown", ["till"]), "20 seconds")


def smaller_windows_first(sales: DataFrame) -> DataFrame:
    """Smaller windows before the windows of a minute

    Step 3 dropped {steps.3.dropped} row: the sale of register B at 12:00:35. It is 30 seconds behind,
    and its minute was open. Spark drops a row if the window of the first aggregation has closed, and
    a window of a few seconds closes before its minute. Which windows does your query need?
    """
    timed = sales.withWatermark("sold_at", "20 seconds")
    seconds = timed.groupBy(F.window("sold_at", "1 second"), "till").agg(
        F.sum("cents").alias("cents")
    )
    return _named(seconds.groupBy(F.window("window", "1 minute"), "till"))
