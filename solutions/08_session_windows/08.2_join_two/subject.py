"""The query that the learner's events are for: sessions with a gap of a minute, and little patience."""

from pyspark.sql import DataFrame
from pyspark.sql import functions as F


def subject(pages: DataFrame) -> DataFrame:
    return (
        pages.withWatermark("time", "30 seconds")
        .groupBy(F.session_window("time", "1 minute"), "user")
        .agg(F.count("*").alias("pages"))
    )
