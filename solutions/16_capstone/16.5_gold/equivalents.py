"""Other right ways from silver to gold."""

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F


def copies_taken_out(spark: SparkSession, silver: DataFrame) -> DataFrame:
    """Takes copies out first. A declarative pipeline of Spark 4.2 would refuse it; as a query it is right."""
    return (
        silver.dropDuplicates(["partition", "offset"])
        .where("page IS NOT NULL")
        .groupBy("page", F.window("event_time", "5 seconds"))
        .count()
        .where(F.col("count") > int(spark.conf.get("shop.limit") or 0))
        .select("page", "window.start", "window.end", F.col("count").alias("clicks"))
    )


def said_in_sql(spark: SparkSession, silver: DataFrame) -> DataFrame:
    """In SQL, on what is different in all its columns."""
    once = silver.select("page", "event_time", "partition", "offset").distinct()
    once.createOrReplaceTempView("clicks")
    return spark.sql(
        f"""
        SELECT page, window.start AS start, window.end AS end, count(*) AS clicks
        FROM clicks WHERE page IS NOT NULL
        GROUP BY page, window(event_time, '5 seconds')
        HAVING count(*) > {spark.conf.get("shop.limit")}
        """
    )
