"""The sink behind a learner's DataFrame: every micro-batch to Kafka, marked with its number."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from grader.replay.connection import CalledBack
from grader.replay.kafka import Record

# every field of every row is written, with microseconds, so that nothing is lost on the way
JSON_OPTIONS = {
    "ignoreNullFields": "false",
    "timestampFormat": "yyyy-MM-dd'T'HH:mm:ss.SSSSSSXXX",
    "timestampNTZFormat": "yyyy-MM-dd'T'HH:mm:ss.SSSSSS",
}
BATCH_HEADER = "batch"


def as_json(frame: DataFrame) -> DataFrame:
    """One column `value`: each row as a JSON object."""
    return frame.select(F.to_json(F.struct("*"), JSON_OPTIONS).alias("value"))


def kafka_sink(
    bootstrap_servers: str, topic: str, called: CalledBack
) -> Callable[[DataFrame, int], None]:
    """A foreachBatch function that writes a batch's rows to `topic` with the batch id in a header."""

    def write(frame: DataFrame, batch_id: int) -> None:
        called.note()
        header = F.struct(
            F.lit(BATCH_HEADER).alias("key"), F.lit(str(batch_id).encode()).alias("value")
        )
        (
            as_json(frame)
            .withColumn("headers", F.array(header))
            .write.format("kafka")
            .option("kafka.bootstrap.servers", bootstrap_servers)
            .option("topic", topic)
            .save()
        )

    return write


def batch_of(record: Record) -> int:
    return int(record.headers[BATCH_HEADER])


def row_of(record: Record) -> dict[str, Any]:
    return json.loads(record.value or b"{}")  # type: ignore[no-any-return]
