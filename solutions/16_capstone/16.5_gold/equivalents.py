"""Other right ways from silver to gold."""

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F


def places_in_a_set(spark: SparkSession, silver: DataFrame) -> DataFrame:
    """Counts the different places in the topic: one aggregation, and nothing to take out before."""
    places = F.collect_set(F.struct("partition", "offset"))
    return (
        silver.where("page IS NOT NULL")
        .groupBy("page", F.window("event_time", "5 seconds"))
        .agg(F.size(places).cast("long").alias("clicks"))
        .where(F.col("clicks") > int(spark.conf.get("shop.limit") or 0))
        .select("page", "window.start", "window.end", "clicks")
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
