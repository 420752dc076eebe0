"""Answers to 03.1, a delay from the data."""

import math
from typing import Any

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

_YESTERDAY = """
18:03:06 18:00:04 | 18:03:14 18:00:11 | 18:03:15 18:00:09 | 18:03:21 18:00:19 | 18:03:30 18:00:28
18:03:31 18:00:21 | 18:03:34 18:00:33 | 18:03:50 18:00:47 | 18:03:51 18:00:41 | 18:03:54 18:00:52
18:04:07 18:01:06 | 18:04:08 18:01:01 | 18:04:15 18:01:13 | 18:04:16 18:01:06 | 18:04:30 18:01:28
18:04:39 18:01:37 | 18:04:40 18:01:30 | 18:04:51 18:01:49 | 18:05:03 18:02:01 | 18:05:04 17:22:01
18:05:06 18:02:04 | 18:05:07 18:01:57 | 18:05:21 18:02:19 | 18:05:33 18:02:31 | 18:05:34 18:02:23
18:05:42 18:02:40 | 18:05:54 18:02:52 | 18:05:55 18:02:43 | 18:06:08 18:03:05 | 18:06:21 18:03:19
"""


def _seconds(clock: str) -> int:
    hours, minutes, rest = map(int, clock.split(":"))
    return 3600 * hours + 60 * minutes + rest


def _clicks_per_minute(clicks: DataFrame, delay: str) -> DataFrame:
    return (
        clicks.withWatermark("event_time", delay)
        .groupBy(F.window("event_time", "1 minute"))
        .agg(F.count("*").alias("clicks"))
    )


def right_works_it_out(clicks: DataFrame) -> DataFrame:
    """Works the delay out from yesterday's table inside the function."""
    newest, behind = 0, []
    for click in _YESTERDAY.replace("\n", "|").strip("|").split("|"):
        happened = _seconds(click.split()[1])
        newest = max(newest, happened)
        behind.append(newest - happened)
    may_be_lost = len(behind) // 20
    smallest = sorted(behind)[-1 - may_be_lost]
    return _clicks_per_minute(clicks, f"{2 * math.ceil(smallest / 2)} seconds")


def right_as_an_interval(clicks: DataFrame) -> DataFrame:
    """Writes the delay as INTERVAL, makes the window a column first, counts it."""
    timed = clicks.withWatermark("event_time", "INTERVAL 10 SECONDS")
    windowed = timed.withColumn("window", F.window("event_time", "60 seconds"))
    return windowed.groupBy("window").count().withColumnRenamed("count", "clicks")


def right_watermark_on_a_copy(clicks: DataFrame) -> DataFrame:
    """Sets watermark and window on a copy of the column, columns turned round."""
    timed = clicks.select(F.col("event_time").alias("t")).withWatermark("t", "10 second")
    counted = timed.groupBy(F.window("t", "1 minute", "1 minute").alias("window"))
    return counted.agg(F.sum(F.lit(1)).alias("clicks")).select("clicks", "window")


def wrong_typical_travel(clicks: DataFrame) -> DataFrame:
    """Takes the typical time of travel, some three minutes

    Travelling is no lateness.
    """
    return _clicks_per_minute(clicks, "3 minutes")


def wrong_travel_rounded_from_typical(clicks: DataFrame) -> DataFrame:
    """Takes the usual time of travel rounded up: 190 seconds

    As wrong_typical_travel.
    """
    return _clicks_per_minute(clicks, "190 seconds")


def wrong_average_rounded_up(clicks: DataFrame) -> DataFrame:
    """The average with the stray, rounded up as the rule says: 90 seconds

    82 s are on average, hence 90.
    """
    return _clicks_per_minute(clicks, "90 seconds")


def _counted(clicks: DataFrame, *by: Any) -> DataFrame:
    return clicks.groupBy(*by).agg(F.count("*").alias("clicks"))


def _by_minute(clicks: DataFrame, delay: str) -> DataFrame:
    return _counted(clicks.withWatermark("event_time", delay), F.window("event_time", "1 minute"))


def wrong_seconds_8(clicks: DataFrame) -> DataFrame:
    """A delay of 8 seconds."""
    return _by_minute(clicks, "8 seconds")


def wrong_seconds_9(clicks: DataFrame) -> DataFrame:
    """A delay of 9 seconds."""
    return _by_minute(clicks, "9 seconds")


def wrong_seconds_20(clicks: DataFrame) -> DataFrame:
    """A delay of 20 seconds."""
    return _by_minute(clicks, "20 seconds")


def wrong_seconds_30(clicks: DataFrame) -> DataFrame:
    """A delay of 30 seconds."""
    return _by_minute(clicks, "30 seconds")


def wrong_seconds_190(clicks: DataFrame) -> DataFrame:
    """A delay of 190 seconds."""
    return _by_minute(clicks, "190 seconds")
