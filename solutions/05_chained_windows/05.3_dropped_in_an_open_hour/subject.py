"""The clicks of one lunch hour: counted by ten minutes, and averaged over the hour."""

from pyspark.sql import DataFrame
from pyspark.sql import functions as F


def subject(clicks: DataFrame) -> DataFrame:
    at = F.col("event_time")
    tens = (
        clicks.withWatermark("event_time", "1 minute")
        .where((at >= "2026-03-01 12:00:00") & (at < "2026-03-01 13:00:00"))
        .groupBy(F.window("event_time", "10 minutes"))
        .agg(F.count("*").alias("clicks"))
    )
    return tens.groupBy(F.window("window", "1 hour")).agg(F.avg("clicks").alias("average"))
