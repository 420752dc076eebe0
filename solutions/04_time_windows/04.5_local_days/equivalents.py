"""Other right answers to the report by local day."""

from pyspark.sql import DataFrame
from pyspark.sql import functions as F


def converted(sales: DataFrame) -> DataFrame:
    """The clock in Berlin by convert_timezone, a window of 24 hours, and the date of its last moment."""
    clock = F.convert_timezone(
        F.lit("UTC"), F.lit("Europe/Berlin"), F.col("sold_at").cast("timestamp_ntz")
    )
    days = (
        sales.select("cents", clock.cast("timestamp").alias("local"))
        .withWatermark("local", "600 seconds")
        .groupBy(F.window("local", "24 hours"))
        .agg(F.sum("cents").alias("cents"), F.count(F.lit(1)).alias("sales"))
    )
    return days.select("cents", F.to_date(F.window_time("window")).alias("day"), "sales")


def in_sql(sales: DataFrame) -> DataFrame:
    """The clock and the watermark in Python, the rest in SQL."""
    timed = sales.withColumn("local", F.from_utc_timestamp("sold_at", "Europe/Berlin"))
    timed.withWatermark("local", "10 minutes").createOrReplaceTempView("sales")
    return sales.sparkSession.sql(
        "SELECT to_date(window.start) AS day, count(*) AS sales, sum(cents) AS cents FROM sales "
        "GROUP BY window(local, '1 day')"
    )
