"""The worked example: orders by fruit and minute. Where the state lives is said in the settings."""

from pyspark.sql import DataFrame
from pyspark.sql import functions as F


def example(orders: DataFrame) -> DataFrame:
    return (
        orders.withWatermark("order_time", "10 seconds")
        .groupBy(F.window("order_time", "1 minute"), "fruit")
        .count()
    )
