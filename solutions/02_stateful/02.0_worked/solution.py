"""The worked example: how often each payment method was used so far."""

from pyspark.sql import DataFrame
from pyspark.sql import functions as F


def example(orders: DataFrame) -> DataFrame:
    return orders.groupBy("method").agg(F.count("*").alias("orders"))
