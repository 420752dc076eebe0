"""Other right ways to the pages over the limit."""

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F


def said_in_sql(spark: SparkSession, records: DataFrame) -> DataFrame:
    """The same in SQL, the condition as HAVING."""
    text = F.col("value").cast("string")
    clicks = records.select(
        F.get_json_object(text, "$.pageId").alias("page"),
        F.get_json_object(text, "$.eventTime").try_cast("timestamp").alias("at"),
    )
    clicks.withWatermark("at", "5 seconds").createOrReplaceTempView("clicks")
    return spark.sql(
        f"""
        SELECT page, window.start AS start, window.end AS end, count(*) AS clicks
        FROM clicks WHERE page IS NOT NULL
        GROUP BY page, window(at, '5 seconds') HAVING count(*) > {spark.conf.get("shop.limit")}
        """
    )


def pages_left_out_afterwards(spark: SparkSession, records: DataFrame) -> DataFrame:
    """Leaves those without a page out before the watermark, and compares with the setting as text made a number."""
    schema = "pageId STRING, eventTime TIMESTAMP"
    limit = F.lit(spark.conf.get("shop.limit")).cast("long")
    return (
        records.select(F.from_json(F.col("value").cast("string"), schema).alias("c"))
        .selectExpr("c.*")
        .dropna(subset=["pageId"])
        .withWatermark("eventTime", "5000 milliseconds")
        .groupBy(F.window("eventTime", "5 seconds").alias("w"), F.col("pageId").alias("page"))
        .count()
        .where(F.col("count") > limit)
        .select("page", "w.start", "w.end", F.col("count").alias("clicks"))
    )
