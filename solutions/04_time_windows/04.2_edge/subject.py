"""The query that the events are sent to: clicks by five minutes, ten seconds late at most."""

from pyspark.sql import DataFrame
from pyspark.sql import functions as F


def subject(clicks: DataFrame) -> DataFrame:
    return (
        clicks.withWatermark("event_time", "10 seconds")
        .groupBy(F.window("event_time", "5 minutes"))
        .agg(F.count("*").alias("clicks"))
    )
