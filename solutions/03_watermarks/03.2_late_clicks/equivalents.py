"""Other right answers to late clicks."""

from pyspark.sql import DataFrame
from pyspark.sql import functions as F


def in_sql(clicks: DataFrame) -> DataFrame:
    """Only the watermark is set in Python, the rest is SQL."""
    clicks.withWatermark("event_time", "10 seconds").createOrReplaceTempView("clicks")
    return clicks.sparkSession.sql(
        "SELECT window, page, count(*) AS clicks FROM clicks "
        "GROUP BY window(event_time, '5 minutes'), page"
    )


def other_units(clicks: DataFrame) -> DataFrame:
    """Delay and window in other units, a column of another name, a sum of ones, columns turned round."""
    timed = clicks.withColumn("happened", F.col("event_time")).withWatermark(
        "happened", "10000 milliseconds"
    )
    counted = timed.groupBy("page", F.window("happened", "300 seconds"))
    return counted.agg(F.sum(F.lit(1)).alias("clicks")).select("clicks", "page", "window")


def sliding_by_its_length(clicks: DataFrame) -> DataFrame:
    """A sliding window that slides by its own length is a tumbling one."""
    return (
        clicks.withWatermark("event_time", "10 seconds")
        .groupBy(F.window("event_time", "5 minutes", "5 minutes"), "page")
        .count()
        .withColumnRenamed("count", "clicks")
    )
