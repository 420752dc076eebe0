"""The worked example: the records that lack something after from_json, and what it made of them."""

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

CLICK = "event_id STRING, user_id STRING, page STRING, ms_on_page INT, event_time TIMESTAMP"


def example(clicks: DataFrame) -> DataFrame:
    text = F.col("value").cast("string")
    parsed = clicks.select(F.from_json(text, CLICK).alias("click"))
    broken = F.expr("click.event_id IS NULL OR click.page IS NULL OR click.event_time IS NULL")
    return parsed.filter(broken).select("click.event_id", "click.page", "click.event_time")
