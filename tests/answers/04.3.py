"""Answers to 04.3, top pages of the last ten minutes."""

from functools import reduce

from pyspark.sql import DataFrame
from pyspark.sql import functions as F


def right_five_tumbling_windows(clicks: DataFrame) -> DataFrame:
    """Five windows of ten minutes side by side with five offsets, united, in place of one that slides."""
    timed = clicks.withWatermark("event_time", "10 seconds")
    cuts = [
        timed.select(
            "page", F.window("event_time", "10 minutes", startTime=f"{m} minutes").alias("window")
        )
        for m in (0, 2, 4, 6, 8)
    ]
    united = reduce(DataFrame.unionByName, cuts)
    return united.groupBy("window", "page").agg(F.count("*").alias("clicks")).where("clicks >= 3")


def right_window_in_a_column(clicks: DataFrame) -> DataFrame:
    """The window in a column of its own, count() renamed, columns in another order, clicks a double."""
    return (
        clicks.withWatermark("event_time", "10 seconds")
        .withColumn("window", F.expr("window(event_time, '10 minutes', '2 minutes', '0 seconds')"))
        .groupBy("page", "window")
        .count()
        .filter(~(F.col("count") < 3))
        .select(F.col("count").cast("double").alias("clicks"), "window", "page")
    )


def wrong_offset_as_long_as_the_slide(clicks: DataFrame) -> DataFrame:
    """Two minutes as the slide and once more as the offset; Spark refuses an offset that is not shorter than the slide."""
    return (
        clicks.withWatermark("event_time", "10 seconds")
        .groupBy(F.window("event_time", "10 minutes", "2 minutes", "2 minutes"), "page")
        .agg(F.count("*").alias("clicks"))
        .where("clicks >= 3")
    )
