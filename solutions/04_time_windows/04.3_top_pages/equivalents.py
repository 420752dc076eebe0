"""Other right answers to the top pages."""

from pyspark.sql import DataFrame
from pyspark.sql import functions as F


def in_sql(clicks: DataFrame) -> DataFrame:
    """Only the watermark is set in Python; HAVING is a filter behind the count."""
    clicks.withWatermark("event_time", "10 seconds").createOrReplaceTempView("clicks")
    return clicks.sparkSession.sql(
        "SELECT window, page, count(*) AS clicks FROM clicks "
        "GROUP BY window(event_time, '10 minutes', '2 minutes'), page HAVING count(*) > 2"
    )


def other_units(clicks: DataFrame) -> DataFrame:
    """Other units, a sum of ones, and the filter said the other way round."""
    timed = clicks.withWatermark("event_time", "10000 milliseconds")
    slid = F.window("event_time", "600 seconds", "120 seconds")
    counted = timed.groupBy("page", slid.alias("window")).agg(F.sum(F.lit(1)).alias("clicks"))
    return counted.where("NOT clicks < 3")
