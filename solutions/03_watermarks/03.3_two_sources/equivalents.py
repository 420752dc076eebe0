"""Other right answers to two sources."""

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F


def policy_in_sql(spark: SparkSession, web: DataFrame, kiosk: DataFrame) -> DataFrame:
    """Sets the policy with SQL, puts the kiosk first, and counts with count()."""
    spark.sql("SET spark.sql.streaming.multipleWatermarkPolicy=max")
    patient = kiosk.withWatermark("event_time", "60 seconds").select("event_time")
    both = patient.union(web.withWatermark("event_time", "10 seconds").select("event_time"))
    counted = both.groupBy(F.window("event_time", "5 minutes")).count()
    return counted.withColumnRenamed("count", "clicks")


def policy_through_the_stream(spark: SparkSession, web: DataFrame, kiosk: DataFrame) -> DataFrame:
    """Reaches the session through the stream, and tells the sources apart by a column on the way."""
    web.sparkSession.conf.set("spark.sql.streaming.multipleWatermarkPolicy", "max")
    named = [
        stream.withColumn("source", F.lit(name)).withWatermark("event_time", delay)
        for stream, name, delay in ((web, "web", "10 seconds"), (kiosk, "kiosk", "1 minute"))
    ]
    both = named[0].unionByName(named[1])
    return both.groupBy(F.window("event_time", "5 minutes")).agg(F.count("source").alias("clicks"))
