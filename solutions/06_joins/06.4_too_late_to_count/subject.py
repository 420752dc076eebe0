"""The query that the events are sent to: each impression with its clicks of one hour, or alone."""

from pyspark.sql import DataFrame
from pyspark.sql import functions as F


def subject(impressions: DataFrame, clicks: DataFrame) -> DataFrame:
    return impressions.withWatermark("impression_time", "10 minutes").join(
        clicks.withWatermark("click_time", "20 minutes"),
        F.expr(
            "clicked_ad_id = ad_id AND click_time >= impression_time "
            "AND click_time <= impression_time + INTERVAL 1 HOUR"
        ),
        "leftOuter",
    )
