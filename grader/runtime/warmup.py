"""A short tour through what lessons do, so that its classes get into the class-data archives."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from grader.runtime.scratch import make_scratch, remove_scratch

ROCKSDB = "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"
PROVIDER = "spark.sql.streaming.stateStore.providerClass"
COUNTS = "page STRING, count LONG"


def tour(spark: SparkSession, bootstrap_servers: str) -> None:
    """Run one small stream of each kind, Kafka to Kafka."""
    folder = make_scratch("warmup")
    try:
        _send(bootstrap_servers, "warmup-in", 0)
        in_memory = spark.conf.get(PROVIDER)
        for number, answer in enumerate((_windows, _keyed_state, _join, _windows, _no_duplicates)):
            spark.conf.set(PROVIDER, ROCKSDB if number > 2 else str(in_memory))
            for step in range(2):
                _run(spark, bootstrap_servers, answer, folder / str(number))
                if number == 0 and step == 0:
                    _send(bootstrap_servers, "warmup-in", 30)
        spark.conf.set(PROVIDER, str(in_memory))
        spark.read.format("statestore").load(str(folder / "0")).collect()
        out = spark.read.format("kafka").option("kafka.bootstrap.servers", bootstrap_servers)
        out.option("subscribe", "warmup-out").load().selectExpr("CAST(value AS STRING)").collect()
    finally:
        remove_scratch(folder)


def _run(spark: SparkSession, servers: str, answer: Any, checkpoint: Path) -> None:
    reader = spark.readStream.format("kafka").option("kafka.bootstrap.servers", servers)
    source = reader.option("subscribe", "warmup-in").option("startingOffsets", "earliest")
    value = F.from_json(F.col("value").cast("string"), "id STRING, page STRING, at TIMESTAMP")
    clicks = source.load().select(value.alias("v")).select("v.*").withWatermark("at", "10 seconds")
    rows: DataFrame = answer(clicks)
    writer = rows.selectExpr("to_json(struct(*)) AS value").writeStream.format("kafka")
    writer = writer.option("kafka.bootstrap.servers", servers).option("topic", "warmup-out")
    mode = "update" if answer is _keyed_state else "append"
    writer = writer.outputMode(mode).option("checkpointLocation", str(checkpoint))
    query = writer.trigger(availableNow=True).start()
    query.awaitTermination()
    json.dumps([progress.json for progress in query.recentProgress])


def _windows(clicks: DataFrame) -> DataFrame:
    return clicks.groupBy("page", F.window("at", "1 minute")).agg(F.count("*"), F.max("at"))


def _no_duplicates(clicks: DataFrame) -> DataFrame:
    return clicks.dropDuplicatesWithinWatermark(["id"])


def _join(clicks: DataFrame) -> DataFrame:
    left = clicks.select(F.col("id").alias("left_id"), F.col("at").alias("left_at"))
    near = F.expr("left_id = id AND at BETWEEN left_at AND left_at + INTERVAL 1 MINUTE")
    return left.join(clicks, near, "leftOuter")


def _keyed_state(clicks: DataFrame) -> DataFrame:
    def count(
        key: tuple[str], frames: Iterator[pd.DataFrame], state: Any
    ) -> Iterator[pd.DataFrame]:
        seen = (state.get[0] if state.exists else 0) + sum(len(frame) for frame in frames)
        state.update((seen,))
        yield pd.DataFrame({"page": [key[0]], "count": [seen]})

    keyed = clicks.groupBy("page")
    return keyed.applyInPandasWithState(count, COUNTS, "count LONG", "update", "NoTimeout")


def _send(bootstrap_servers: str, topic: str, minutes: int) -> None:
    from kafka import KafkaProducer

    producer = KafkaProducer(bootstrap_servers=bootstrap_servers)
    for number in range(10):
        click = {
            "id": f"{minutes}-{number}",
            "page": f"/{number % 3}",
            "at": f"2026-03-01T12:{minutes + number:02}:00Z",
        }
        producer.send(topic, json.dumps(click).encode())
    producer.flush()
    producer.close()
