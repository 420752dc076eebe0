"""The worked example: the revenue of each minute, and of each five minutes the best minute."""

from pyspark.sql import DataFrame
from pyspark.sql import functions as F


def example(orders: DataFrame) -> DataFrame:
    revenue = (
        orders.withWatermark("order_time", "10 seconds")
        .groupBy(F.window("order_time", "1 minute"))
        .agg(F.sum("price").alias("revenue"))
    )
    return revenue.groupBy(F.window("window", "5 minutes")).agg(F.max("revenue").alias("best"))
