from pyspark.sql import DataFrame
from pyspark.sql import functions as F


def null_is_no_robot(clicks: DataFrame) -> DataFrame:
    """coalesce turns "unknown" into "not a robot" before the negation."""
    robot = F.coalesce(F.col("user_id").startswith("robot-"), F.lit(False))
    return clicks.filter(~robot).select("event_id", "user_id", "page")


def as_sql_text(clicks: DataFrame) -> DataFrame:
    """SQL with IS NOT TRUE, which is made for this."""
    return clicks.where("(user_id LIKE 'robot-%') IS NOT TRUE").select(
        "page", "event_id", "user_id"
    )
