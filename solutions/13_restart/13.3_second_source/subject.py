"""The version that has been running: clicks of the web by page."""

from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F


def subject(spark: SparkSession, kafka: Any) -> DataFrame:
    web = (
        spark.readStream.format("kafka")
        .option("kafka.bootstrap.servers", kafka.bootstrap_servers)
        .option("subscribe", kafka.topic("web"))
        .option("startingOffsets", "earliest")
        .name("web")
        .load()
    )
    page = F.get_json_object(F.col("value").cast("string"), "$.page").alias("page")
    return web.select(page).groupBy("page").agg(F.count("*").alias("clicks"))
