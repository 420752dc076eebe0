"""Other right ways to join and count."""

from pyspark.sql import DataFrame
from pyspark.sql import functions as F


def with_columns(impressions: DataFrame, clicks: DataFrame) -> DataFrame:
    """Writes the condition with columns and adds up ones and zeros instead of counting."""
    shown = impressions.withWatermark("impression_time", "2 hours")
    clicked = clicks.withWatermark("click_time", "3 hours")
    belongs = (
        (clicked.clicked_ad_id == shown.ad_id)
        & (clicked.click_time >= shown.impression_time)
        & (clicked.click_time <= shown.impression_time + F.expr("INTERVAL 60 MINUTES"))
    )
    return (
        shown.join(clicked, belongs, "left")
        .withColumn("hit", F.when(F.col("clicked_ad_id").isNull(), 0).otherwise(1))
        .groupBy("ad_id", F.window("impression_time", "1 hour"))
        .agg(F.sum("hit").alias("clicks"))
    )


def in_sql(impressions: DataFrame, clicks: DataFrame) -> DataFrame:
    """Says the same in SQL over two views."""
    impressions.withWatermark("impression_time", "2 hours").createOrReplaceTempView("shown")
    clicks.withWatermark("click_time", "3 hours").createOrReplaceTempView("clicked")
    return impressions.sparkSession.sql(
        """
        SELECT window(impression_time, '1 hour') AS window, ad_id, count(clicked_ad_id) AS clicks
        FROM shown LEFT OUTER JOIN clicked
          ON clicked_ad_id = ad_id
         AND click_time BETWEEN impression_time AND impression_time + INTERVAL 1 HOUR
        GROUP BY window(impression_time, '1 hour'), ad_id
        """
    )
