"""Wrong ways through three levels of windows."""

from pyspark.sql import DataFrame
from pyspark.sql import functions as F


def _minutes(clicks: DataFrame, delay: str = "30 seconds") -> DataFrame:
    return (
        clicks.withWatermark("event_time", delay)
        .groupBy(F.window("event_time", "1 minute"), "page")
        .agg(F.count("*").alias("clicks"))
    )


def _tens(minutes: DataFrame) -> DataFrame:
    return minutes.groupBy(F.window("window", "10 minutes"), "page").agg(
        F.max("clicks").alias("peak")
    )


def _hours(tens: DataFrame) -> DataFrame:
    return tens.groupBy(F.window("window", "1 hour"), "page").agg(
        F.avg("peak").alias("average_peak"), F.max("peak").alias("highest_peak")
    )


def no_ten_minutes(clicks: DataFrame) -> DataFrame:
    """Average of all minutes

    The averages are those of all minutes that had a click, quiet minutes included. The task
    averages peaks, the busiest minute of each 10 minutes. Which level selects that minute?
    """
    minutes = _minutes(clicks)
    return minutes.groupBy(F.window("window", "1 hour"), "page").agg(
        F.avg("clicks").alias("average_peak"), F.max("clicks").alias("highest_peak")
    )


def no_minutes(clicks: DataFrame) -> DataFrame:
    """Clicks of 10 minutes used as a peak

    The numbers are made of all clicks of each 10 minutes. A peak is the count of one minute, the
    busiest. Which level counts a minute?
    """
    tens = (
        clicks.withWatermark("event_time", "30 seconds")
        .groupBy(F.window("event_time", "10 minutes"), "page")
        .agg(F.count("*").alias("peak"))
    )
    return _hours(tens)


def minutes_added_up(clicks: DataFrame) -> DataFrame:
    """Sum of the minutes used as a peak

    Each 10 minutes contribute the sum of their minutes. A peak is the count of one minute, the
    busiest. Which aggregate of the ten counts do you take?
    """
    tens = (
        _minutes(clicks)
        .groupBy(F.window("window", "10 minutes"), "page")
        .agg(F.sum("clicks").alias("peak"))
    )
    return _hours(tens)


def six_peaks_in_every_hour(clicks: DataFrame) -> DataFrame:
    """Six peaks assumed in every hour

    The highest peaks are right and the averages are too low: each is one sixth of the sum of the
    hour's peaks. A 10-minute window without a click has no peak, and that is not a zero. By how
    many peaks do you divide the sum?
    """
    tens = _tens(_minutes(clicks))
    return tens.groupBy(F.window("window", "1 hour"), "page").agg(
        (F.sum("peak") / 6).alias("average_peak"), F.max("peak").alias("highest_peak")
    )


def no_clicks_without_a_page(clicks: DataFrame) -> DataFrame:
    """Clicks without a page counted as zero

    The row without a page has peaks of 0, and all others are right. A count of a column, such as
    `count("page")`, counts the rows in which the column has a value. What counts rows, whatever
    they contain?
    """
    minutes = (
        clicks.withWatermark("event_time", "30 seconds")
        .groupBy(F.window("event_time", "1 minute"), "page")
        .agg(F.count("page").alias("clicks"))
    )
    return _hours(_tens(minutes))


def averages_twice(clicks: DataFrame) -> DataFrame:
    """Average of averages

    Each 10 minutes contribute the average of their minutes. The task takes their busiest minute.
    Which aggregate belongs to the second level?
    """
    tens = (
        _minutes(clicks)
        .groupBy(F.window("window", "10 minutes"), "page")
        .agg(F.avg("clicks").alias("peak"))
    )
    return _hours(tens)


def a_delay_for_each_level(clicks: DataFrame) -> DataFrame:
    """Watermark delay longer than the task allows

    After step 1 your watermark was {steps.1.delay} behind the newest click; the task allows
    {asked.steps.1.delay}. The delay says how late a click may arrive. The levels after the first
    add no lateness: an operator emits a finished minute in the micro-batch in which it closes. What
    is the lateness limit in the task?
    """
    return _hours(_tens(_minutes(clicks, "90 seconds")))


def a_watermark_for_each_level(clicks: DataFrame) -> DataFrame:
    """A second watermark, and no row

    Your query emitted no row, and after the last step it still has no watermark. Is there a second
    withWatermark after the first grouping? It would wait for rows of that grouping, and the
    grouping would wait for a watermark. Neither ever arrives. One watermark, before the first
    grouping, is enough.
    """
    tens = _tens(_minutes(clicks).withWatermark("window", "30 seconds"))
    return _hours(tens)


def hour_of_the_start(clicks: DataFrame) -> DataFrame:
    """An aggregation that never becomes final

    Spark rejected the query. In append mode each aggregation must know when its rows are final, and
    for at least one of yours Spark cannot tell. Check each of the three: is there a watermark
    before it, and is a window of event time among its keys? A window made of `window.start` or
    `window.end` does not count, because these are plain timestamps. A column of the DataFrame from
    before withWatermark does not count either.
    """
    tens = _tens(_minutes(clicks))
    return tens.groupBy(F.window("window.start", "1 hour"), "page").agg(
        F.avg("peak").alias("average_peak"), F.max("peak").alias("highest_peak")
    )
