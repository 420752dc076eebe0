"""Other right ways for the kiosk to join."""

from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F


def kiosk_first(spark: SparkSession, kafka: Any) -> DataFrame:
    """Names the kiosk first, and the web without startingOffsets: its offset is in the checkpoint."""
    readers = {
        name: spark.readStream.format("kafka")
        .option("kafka.bootstrap.servers", kafka.bootstrap_servers)
        .option("subscribe", kafka.topic(name))
        .name(name)
        for name in ("kiosk", "web")
    }
    kiosk = readers["kiosk"].option("startingOffsets", "earliest").load()
    touches = kiosk.select(F.from_json(kiosk.value.cast("string"), "screen STRING").screen)
    web = readers["web"].load()
    clicks = web.select(F.from_json(web.value.cast("string"), "page STRING").page.alias("page"))
    both = touches.toDF("page").union(clicks)
    return both.groupBy("page").count().withColumnRenamed("count", "clicks")


def one_field_or_the_other(spark: SparkSession, kafka: Any) -> DataFrame:
    """Puts the records together, and takes the page from whichever field there is."""

    def read(name: str) -> DataFrame:
        options = {
            "kafka.bootstrap.servers": kafka.bootstrap_servers,
            "subscribe": kafka.topic(name),
            "startingOffsets": "earliest",
        }
        return spark.readStream.format("kafka").options(**options).name(name).load()

    read("web").union(read("kiosk")).createOrReplaceTempView("records")
    return spark.sql(
        "SELECT coalesce(v.page, v.screen) AS page, count(*) AS clicks "
        "FROM (SELECT from_json(string(value), 'page STRING, screen STRING') AS v FROM records) "
        "GROUP BY 1"
    )
