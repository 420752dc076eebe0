"""Other right bills."""

from delta.tables import DeltaTable
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F


def in_sql(spark: SparkSession, orders: DataFrame, prices: str) -> DataFrame:
    """In SQL, with the table by its path."""
    orders.createOrReplaceTempView("incoming")
    return spark.sql(
        "SELECT i.order_id, i.item, i.quantity * p.cents AS amount "
        f"FROM incoming i LEFT JOIN delta.`{prices}` p ON i.item = p.item"
    )


def price_list_on_the_left(spark: SparkSession, orders: DataFrame, prices: str) -> DataFrame:
    """A right join with a broadcast of the table that DeltaTable gives."""
    table = F.broadcast(DeltaTable.forPath(spark, prices).toDF())
    named = table.select(F.col("item").alias("priced"), "cents")
    joined = named.join(orders, F.expr("priced = item"), "right_outer")
    return joined.selectExpr("order_id", "item", "cents * quantity AS amount")
