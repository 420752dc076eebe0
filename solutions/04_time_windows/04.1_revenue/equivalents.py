"""Other right answers to revenue by half hour."""

from pyspark.sql import DataFrame
from pyspark.sql import functions as F


def offset_from_the_hour_before(orders: DataFrame) -> DataFrame:
    """Twenty minutes backwards is ten minutes forwards, as windows come every thirty."""
    return (
        orders.withWatermark("order_time", "300 seconds")
        .groupBy(F.window("order_time", "1800 seconds", "1800 seconds", "-20 minutes"))
        .agg(F.sum("cents").alias("revenue"), F.count("order_time").alias("orders"))
    )


def in_sql(orders: DataFrame) -> DataFrame:
    """Only the watermark is set in Python, the rest is SQL."""
    orders.withWatermark("order_time", "5 minutes").createOrReplaceTempView("orders")
    return orders.sparkSession.sql(
        "SELECT window, count(*) AS orders, sum(cents) AS revenue FROM orders "
        "GROUP BY window(order_time, '30 minutes', '30 minutes', '10 minutes')"
    )
