"""The sink of a learner's DataFrame: every micro-batch to Kafka, marked with its number."""

from __future__ import annotations

import json
from typing import Any

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql.streaming.readwriter import DataStreamWriter

from grader.replay.kafka import Record

# every field of every row is written, with microseconds, so that nothing is lost on the way
JSON_OPTIONS = {
    "ignoreNullFields": "false",
    "timestampFormat": "yyyy-MM-dd'T'HH:mm:ss.SSSSSSXXX",
    "timestampNTZFormat": "yyyy-MM-dd'T'HH:mm:ss.SSSSSS",
}
BATCH_HEADER = "batch time"


def as_json(frame: DataFrame) -> DataFrame:
    """One column `value`: each row as a JSON object."""
    return frame.select(F.to_json(F.struct("*"), JSON_OPTIONS).alias("value"))


def records_of(frame: DataFrame) -> DataFrame:
    """The frame's rows as records for Kafka, each with its batch's time in a header.

    All rows of a micro-batch have the same current_timestamp(), and Spark writes this time to its offset
    log, too. So `batch_times` can say which batch wrote a record. A foreachBatch function would get the
    number of the batch, but then Spark plans every batch twice and calls Python for it.

    Spark writes the timestamp into the code that it compiles, so it would compile again for every batch.
    Expressions such as `transform` are not compiled: that is why the header is made with one.
    """

    def header(moment: Column) -> Column:
        value = F.unix_millis(moment).cast("string").cast("binary")
        return F.struct(F.lit(BATCH_HEADER).alias("key"), value.alias("value"))

    return as_json(frame).withColumn("headers", F.transform(F.array(F.current_timestamp()), header))


def kafka_sink(frame: DataFrame, options: dict[str, str]) -> DataStreamWriter:
    """A writer of the frame's rows to Kafka."""
    return records_of(frame).writeStream.format("kafka").options(**options)


def sink_options(bootstrap_servers: str, topic: str) -> dict[str, str]:
    # Spark shares a producer among all uses with the same settings: a unique name prevents that here
    return {
        "kafka.bootstrap.servers": bootstrap_servers,
        "kafka.client.id": topic,
        "topic": topic,
    }


def batch_time(record: Record) -> int:
    """When the batch began that emitted the record, in milliseconds: see `batch_times`."""
    return int(record.headers[BATCH_HEADER])


def row_of(record: Record) -> dict[str, Any]:
    return json.loads(record.value or b"{}")  # type: ignore[no-any-return]
