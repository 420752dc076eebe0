"""Other right repairs."""

from pyspark.sql import DataFrame
from pyspark.sql import functions as F


def by_window_time(sales: DataFrame) -> DataFrame:
    """The last moment of the window, cut down to its minute after the grouping."""
    counted = (
        sales.withWatermark("sold_at", "20 seconds")
        .groupBy("till", F.window("sold_at", "60 seconds"))
        .agg(F.sum("cents").alias("cents"))
    )
    minute = F.date_trunc("minute", F.window_time("window"))
    return counted.select("cents", "till", minute.alias("minute"))


def in_sql(sales: DataFrame) -> DataFrame:
    """Only the watermark is set in Python, the rest is SQL."""
    sales.withWatermark("sold_at", "20 seconds").createOrReplaceTempView("sales")
    return sales.sparkSession.sql(
        "SELECT window.start AS minute, till, sum(cents) AS cents FROM sales "
        "GROUP BY window(sold_at, '1 minute'), till"
    )
