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
    """Averages of all the minutes

    The averages are those of all minutes that had a click, quiet ones too. The task averages
    peaks: the busiest minute of each ten. Which level picks it out?
    """
    minutes = _minutes(clicks)
    return minutes.groupBy(F.window("window", "1 hour"), "page").agg(
        F.avg("clicks").alias("average_peak"), F.max("clicks").alias("highest_peak")
    )


def no_minutes(clicks: DataFrame) -> DataFrame:
    """The clicks of ten minutes taken for a peak

    The figures are made of all clicks of each ten minutes. A peak is the count of one minute, the
    busiest. Which level counts a minute?
    """
    tens = (
        clicks.withWatermark("event_time", "30 seconds")
        .groupBy(F.window("event_time", "10 minutes"), "page")
        .agg(F.count("*").alias("peak"))
    )
    return _hours(tens)


def minutes_added_up(clicks: DataFrame) -> DataFrame:
    """The minutes of ten added up

    Each ten minutes are in the figures with the sum of their minutes. A peak is the count of one
    minute, the busiest. What of the ten counts do you take?
    """
    tens = (
        _minutes(clicks)
        .groupBy(F.window("window", "10 minutes"), "page")
        .agg(F.sum("clicks").alias("peak"))
    )
    return _hours(tens)


def six_peaks_in_every_hour(clicks: DataFrame) -> DataFrame:
    """Six peaks in every hour

    The highest peaks are right and the averages too low: each is a sixth of the sum of the hour's peaks. Ten
    minutes without a click have no peak, and that is no zero. By how many peaks is the sum divided?
    """
    tens = _tens(_minutes(clicks))
    return tens.groupBy(F.window("window", "1 hour"), "page").agg(
        (F.sum("peak") / 6).alias("average_peak"), F.max("peak").alias("highest_peak")
    )


def no_clicks_without_a_page(clicks: DataFrame) -> DataFrame:
    """Clicks without a page count for nothing

    The row without a page came out with peaks of 0; all others are right. A count of a column, such as
    `count("page")`, counts the rows in which it has a value. What counts rows, whatever is in them?
    """
    minutes = (
        clicks.withWatermark("event_time", "30 seconds")
        .groupBy(F.window("event_time", "1 minute"), "page")
        .agg(F.count("page").alias("clicks"))
    )
    return _hours(_tens(minutes))


def averages_twice(clicks: DataFrame) -> DataFrame:
    """Averages of averages

    Each ten minutes are in the figures with the average of their minutes. The task asks for their
    busiest minute.
    """
    tens = (
        _minutes(clicks)
        .groupBy(F.window("window", "10 minutes"), "page")
        .agg(F.avg("clicks").alias("peak"))
    )
    return _hours(tens)


def a_delay_for_each_level(clicks: DataFrame) -> DataFrame:
    """More patience than the task asks for

    After step 1 the watermark stood {steps.1.delay} behind the newest click;
    {asked.steps.1.delay} are asked for. A delay says how late a click may come. The levels above
    add no lateness: a finished minute is handed on in the batch in which it is finished.
    """
    return _hours(_tens(_minutes(clicks, "90 seconds")))


def a_watermark_for_each_level(clicks: DataFrame) -> DataFrame:
    """No watermark, and no row

    No row came out, and after the last step the query still has no watermark. Is a second
    withWatermark set behind the first grouping? It would wait for rows of that grouping, and the
    grouping for a watermark: neither ever comes. One watermark, before the first grouping, is enough.
    """
    tens = _tens(_minutes(clicks).withWatermark("window", "30 seconds"))
    return _hours(tens)


def hour_of_the_start(clicks: DataFrame) -> DataFrame:
    """An aggregation without an end that Spark can see

    Spark refused the query. In append mode each aggregation must know when a row of it is final,
    and of at least one of yours Spark cannot tell. Ask of each of the three: is there a watermark
    before it, and is a window of event time among its keys? A window made of `window.start` or
    `window.end` is none: these are plain timestamps, and Spark no longer knows them for event time.
    Nor is one made of a column of the DataFrame from before withWatermark.
    """
    tens = _tens(_minutes(clicks))
    return tens.groupBy(F.window("window.start", "1 hour"), "page").agg(
        F.avg("peak").alias("average_peak"), F.max("peak").alias("highest_peak")
    )
