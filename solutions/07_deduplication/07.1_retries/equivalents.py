"""Other right answers to the retries."""

from pyspark.sql import DataFrame
from pyspark.sql import functions as F


def with_the_item(orders: DataFrame) -> DataFrame:
    """Compares the item, too, which a retry has in common with its order; the delay in seconds."""
    timed = orders.withWatermark("sent_at", "300 seconds")
    return timed.dropDuplicatesWithinWatermark(["order_id", "item"]).drop("sent_at")


def only_what_is_needed(orders: DataFrame) -> DataFrame:
    """Takes the time under another name, and the columns in another order."""
    timed = orders.select(F.col("sent_at").alias("time"), "item", "order_id").withWatermark(
        "time", "5 minutes"
    )
    return timed.dropDuplicatesWithinWatermark(["order_id"]).select("item", "order_id")
