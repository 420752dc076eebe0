"""A lesson's own query, a step at a time: read a topic, process its records, report what was kept."""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql.streaming.query import StreamingQuery

from grader.learner import notebook_lab
from grader.replay.topic_stream import json_columns, topic_stream


def read_topic(topic: str, schema: str) -> DataFrame:
    """A stream of the JSON values in a topic, from its first record on, as columns of `schema`."""
    running = notebook_lab.start()
    records = topic_stream(running.spark, running.kafka.bootstrap_servers, topic)
    return json_columns(records, schema)


def run_once(rows: DataFrame, topic: str, checkpoint: str) -> None:
    """Read what there is now, write the output to a topic as JSON, print what is kept.

    With the same checkpoint the next call continues where this one stopped.
    """
    query = (
        rows.select(F.to_json(F.struct("*"), {"ignoreNullFields": "false"}).alias("value"))
        .writeStream.format("kafka")
        .option("kafka.bootstrap.servers", notebook_lab.start().kafka.bootstrap_servers)
        .option("topic", topic)
        .option("checkpointLocation", checkpoint)
        .trigger(availableNow=True)
        .start()
    )
    try:
        query.awaitTermination()
    finally:
        query.stop()  # interrupted, it would hold the checkpoint
    print(_kept(query))


def _kept(query: StreamingQuery) -> str:
    """The watermark and the rows in state after a run; a run without new records reports neither."""
    ran = [p for p in query.recentProgress if "addBatch" in p["durationMs"]]
    if not ran:
        return "nothing new to read; what the query keeps is as it was"
    kept = [operator["numRowsTotal"] for operator in ran[-1]["stateOperators"]]
    if not kept:
        return f"rows taken in: {sum(p['numInputRows'] for p in ran)} · no state"
    watermark = ran[-1]["eventTime"].get("watermark", "none")[:19].replace("T", " ")
    if watermark == "1970-01-01 00:00:00":
        watermark = "none yet"
    if len(kept) == 1:
        return f"watermark: {watermark} · rows in state: {kept[0]}"
    return f"watermark: {watermark} · rows in the state of each operator: {kept}"
