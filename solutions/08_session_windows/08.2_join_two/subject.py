from pyspark.sql import DataFrame
from pyspark.sql import functions as F


def subject(pages: DataFrame) -> DataFrame:
    """Sessions of each user: a minute of silence ends one, a page view may be 30 seconds late."""
    return (
        pages.withWatermark("time", "30 seconds")
        .groupBy(F.session_window("time", "1 minute"), "user")
        .agg(F.count("*").alias("pages"))
    )
