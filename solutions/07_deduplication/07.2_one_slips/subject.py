"""The query that the events are for: each order once, with a delay of ten minutes."""

from pyspark.sql import DataFrame


def subject(orders: DataFrame) -> DataFrame:
    return orders.withWatermark("sent_at", "10 minutes").dropDuplicatesWithinWatermark(["order_id"])
