import json

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F


def all_options_at_once(spark: SparkSession, kafka) -> DataFrame:
    """Options as a dictionary, a pattern for the topic, JSON fields by path, and minPartitions."""
    options = {
        "kafka.bootstrap.servers": kafka.bootstrap_servers,
        "kafka.fetch.max.wait.ms": "10",
        "subscribePattern": kafka.topic("clicks"),
        "startingOffsets": "earliest",
        "maxOffsetsPerTrigger": "10",
        "minPartitions": "4",
    }
    text = F.col("value").cast("string")
    return (
        spark.readStream.format("kafka")
        .options(**options)
        .load()
        .select(
            F.get_json_object(text, "$.event_id").alias("event_id"),
            F.get_json_object(text, "$.page").alias("page"),
        )
    )


def partitions_by_name(spark: SparkSession, kafka) -> DataFrame:
    """The partitions assigned by number, and the text decoded by name."""
    source = (
        spark.readStream.format("kafka")
        .option("kafka.bootstrap.servers", kafka.bootstrap_servers)
        .option("kafka.fetch.max.wait.ms", 10)
        .option("assign", json.dumps({kafka.topic("clicks"): [0, 1]}))
        .option("startingOffsets", "earliest")
        .option("maxOffsetsPerTrigger", 10)
    )
    click = F.from_json(F.decode("value", "UTF-8"), "event_id STRING, page STRING")
    return source.load().select(click.alias("c")).select("c.*")
