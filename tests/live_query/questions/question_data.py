"""The common parts of the questions: topics with records, sources with options, runs that may fail."""

import json
from contextlib import suppress
from pathlib import Path
from typing import Any

from kafka import KafkaProducer
from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql.streaming.query import StreamingQuery
from testkit.planting import SCHEMA, Shop

SOON = "50 milliseconds"
ROCKSDB = "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"
PROVIDER = "spark.sql.streaming.stateStore.providerClass"
# longer than any of these queries takes; one that never ends is asked as it is then
_PATIENCE = 40


def raw(shop: Shop, topic: str, options: dict[str, Any] | None = None) -> DataFrame:
    given = {
        "kafka.bootstrap.servers": shop.running.kafka.bootstrap_servers,
        "subscribe": topic,
        "startingOffsets": "earliest",
        **(options or {}),
    }
    kept = {name: value for name, value in given.items() if value is not None}
    return shop.running.spark.readStream.format("kafka").options(**kept).load()


def parsed(
    frame: DataFrame, schema: str = SCHEMA, options: dict[str, str] | None = None
) -> DataFrame:
    value = F.from_json(F.col("value").cast("string"), schema, options or {})
    return frame.select(value.alias("read")).select("read.*")


def settled(query: StreamingQuery, every: str | None = None) -> StreamingQuery:
    """The query when it has taken in what is there, or has ended, with or without an error."""
    with suppress(Exception):
        if every:
            query.processAllAvailable()
        else:
            query.awaitTermination(_PATIENCE)
    return query


def run(shop: Shop, frame: DataFrame, sink: str = "memory", **given: Any) -> StreamingQuery:
    return settled(shop.start(frame, sink, **given), given.get("every"))


def send_raw(shop: Shop, topic: str, *values: bytes | None) -> None:
    """Records as they are, those without a value included."""
    producer = KafkaProducer(bootstrap_servers=shop.running.kafka.bootstrap_servers)
    for value in values:
        producer.send(topic, value, key=b"a key")
    producer.close()


def json_file(folder: str, name: str, *rows: dict[str, Any]) -> Path:
    path = Path(folder, name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path
