"""Other right repairs of the reminders."""

from pyspark.sql import DataFrame
from pyspark.sql import functions as F


def in_the_condition(orders: DataFrame, payments: DataFrame) -> DataFrame:
    """The status is part of what makes a payment a partner."""
    joined = orders.withWatermark("order_time", "1 minute").join(
        payments.withWatermark("paid_time", "2 minutes"),
        F.expr(
            "paid_order_id = order_id AND status = 'ok' AND paid_time >= order_time "
            "AND paid_time <= order_time + INTERVAL 15 MINUTES"
        ),
        "leftOuter",
    )
    return joined.select("order_id", "paid_time")


def in_sql(orders: DataFrame, payments: DataFrame) -> DataFrame:
    """In SQL, with a subquery that holds accepted payments only."""
    orders.withWatermark("order_time", "1 minute").createOrReplaceTempView("ordered")
    payments.withWatermark("paid_time", "2 minutes").createOrReplaceTempView("tried")
    return orders.sparkSession.sql(
        """
        SELECT order_id, paid_time
        FROM ordered LEFT JOIN (SELECT * FROM tried WHERE status = 'ok') AS accepted
          ON paid_order_id = order_id
         AND paid_time BETWEEN order_time AND order_time + INTERVAL 15 MINUTES
        """
    )
