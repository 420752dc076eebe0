from pyspark.sql import DataFrame
from pyspark.sql import functions as F


def subject(clicks: DataFrame) -> DataFrame:
    """Clicks by page and 5-minute window; a click may be 10 seconds late."""
    return (
        clicks.withWatermark("event_time", "10 seconds")
        .groupBy(F.window("event_time", "5 minutes"), "page")
        .agg(F.count("*").alias("clicks"))
    )
