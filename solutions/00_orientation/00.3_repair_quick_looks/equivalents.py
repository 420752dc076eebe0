from pyspark.sql import DataFrame
from pyspark.sql import functions as F


def column_by_column(clicks: DataFrame) -> DataFrame:
    """withColumn and a filter on the new column; all columns kept."""
    timed = clicks.withColumn("seconds", F.col("ms_on_page").cast("double") * 0.001)
    return timed.filter(F.col("seconds") < 2.0)


def as_sql_text(clicks: DataFrame) -> DataFrame:
    """SQL expressions; the seconds are a decimal."""
    return clicks.where("ms_on_page < 2000").selectExpr(
        "event_id", "page", "CAST(ms_on_page AS DECIMAL(10, 3)) / 1000 AS seconds"
    )
