from pyspark.sql import DataFrame
from pyspark.sql import functions as F


def column_by_column(clicks: DataFrame) -> DataFrame:
    """withColumn and a filter on the new column; what is not wanted dropped."""
    timed = clicks.withColumn("seconds", F.col("ms_on_page").cast("double") * 0.001)
    return timed.filter(F.col("seconds") < 2.0).drop("user_id", "ms_on_page", "event_time")


def as_sql_text(clicks: DataFrame) -> DataFrame:
    """SQL expressions; the seconds are a decimal."""
    return clicks.where("ms_on_page < 2000").selectExpr(
        "event_id", "page", "CAST(ms_on_page AS DECIMAL(10, 3)) / 1000 AS seconds"
    )
