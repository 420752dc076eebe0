"""Other releases that go on from the same state."""

from pyspark.sql import DataFrame
from pyspark.sql import functions as F


def price_within_the_aggregation(orders: DataFrame) -> DataFrame:
    """Divides inside `agg`: Spark finds that the sum of the pieces is there already, and keeps it once."""
    pieces, cents = F.sum("pieces"), F.sum("cents")
    return (
        orders.where(F.coalesce("channel", F.lit("")) != "test")
        .groupBy("product")
        .agg(pieces.alias("pieces"), (cents / pieces).alias("cents_each"))
        .withColumn("department", F.substring_index("product", "/", 1))
    )


def sums_under_other_names(orders: DataFrame) -> DataFrame:
    """Names the sums otherwise: state knows no names of columns that come out."""
    return (
        orders.where("NOT channel <=> 'test'")
        .groupBy(F.col("product").alias("name"))
        .agg(F.sum("pieces").alias("n"), F.sum("cents").alias("total"))
        .selectExpr(
            "element_at(split(name, '/'), 1) AS department",
            "name AS product",
            "n AS pieces",
            "total / n AS cents_each",
        )
    )
