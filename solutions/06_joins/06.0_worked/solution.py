"""The worked example: orders with the payments of the 15 minutes after them, or with none."""

from pyspark.sql import DataFrame
from pyspark.sql import functions as F


def example(orders: DataFrame, payments: DataFrame) -> DataFrame:
    return orders.withWatermark("order_time", "1 minute").join(
        payments.withWatermark("paid_time", "2 minutes"),
        F.expr(
            """
            paid_order_id = order_id
            AND paid_time >= order_time
            AND paid_time <= order_time + INTERVAL 15 MINUTES
            """
        ),
        "leftOuter",
    )
