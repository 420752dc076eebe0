"""Other right ways through three levels."""

from pyspark.sql import DataFrame
from pyspark.sql import functions as F


def by_window_time(clicks: DataFrame) -> DataFrame:
    """Makes a timestamp of each window with window_time, and names every column anew."""
    minutes = (
        clicks.withWatermark("event_time", "30 seconds")
        .groupBy("page", F.window("event_time", "60 seconds").alias("minute"))
        .agg(F.sum(F.lit(1)).alias("n"))
        .select("page", "n", F.window_time("minute").alias("at"))
    )
    tens = (
        minutes.groupBy("page", F.window("at", "10 minutes").alias("ten"))
        .agg(F.max("n").alias("peak"))
        .select("page", "peak", F.window_time("ten").alias("at"))
    )
    return tens.groupBy("page", F.window("at", "60 minutes").alias("window")).agg(
        F.max("peak").alias("highest_peak"),
        (F.sum("peak") / F.count("*")).alias("average_peak"),
    )


def in_sql(clicks: DataFrame) -> DataFrame:
    """One statement with a subquery inside a subquery."""
    clicks.withWatermark("event_time", "30 seconds").createOrReplaceTempView("timed_clicks")
    return clicks.sparkSession.sql(
        """
        SELECT window(ten, '1 hour') AS window, page,
               avg(peak) AS average_peak, max(peak) AS highest_peak
        FROM (
            SELECT window(minute, '10 minutes') AS ten, page, max(n) AS peak
            FROM (
                SELECT window(event_time, '1 minute') AS minute, page, count(*) AS n
                FROM timed_clicks
                GROUP BY window(event_time, '1 minute'), page
            )
            GROUP BY window(minute, '10 minutes'), page
        )
        GROUP BY window(ten, '1 hour'), page
        """
    )
