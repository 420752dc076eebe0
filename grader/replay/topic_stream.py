"""A Kafka topic as a stream, as answers and lessons get it."""

from __future__ import annotations

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F


def topic_stream(session: SparkSession, bootstrap_servers: str, topic: str) -> DataFrame:
    """The records of a topic from its first one on: binary `key` and `value`, and their positions."""
    return (
        session.readStream.format("kafka")
        .option("kafka.bootstrap.servers", bootstrap_servers)
        .option("subscribe", topic)
        .option("startingOffsets", "earliest")
        .option("kafka.fetch.max.wait.ms", "10")  # an empty topic is not waited for
        .load()
    )


def json_columns(records: DataFrame, schema: str) -> DataFrame:
    """The JSON in the records' values as columns of `schema` (DDL)."""
    parsed = F.from_json(F.col("value").cast("string"), schema)
    return records.select(parsed.alias("parsed")).select("parsed.*")
