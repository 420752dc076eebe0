"""The query under measurement, in its own process."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from grader.latency.query_process import run_query
from grader.latency.tuning import Tuning
from grader.latency.workloads import SCHEMA, WORKLOADS


def start(order: dict[str, Any]) -> Any:
    """Start a workload with a tuning."""
    from grader.runtime.spark_session import spark_session

    tuning = Tuning(**order["tuning"])
    return _writer(spark_session(fast=False, extra_conf=tuning.conf), order, tuning).start()


def figures(progress: dict[str, Any]) -> dict[str, Any]:
    """Rows read, seconds, and the parts of these that Spark reports."""
    seconds = {name: took / 1000 for name, took in progress["durationMs"].items()}
    whole = seconds.pop("triggerExecution")
    return {"rows": progress["numInputRows"], "seconds": whole, "parts": seconds}


def _writer(spark: Any, order: dict[str, Any], tuning: Tuning) -> Any:
    from grader.replay.answer_sink import as_json
    from grader.replay.topic_stream import json_columns

    workload = WORKLOADS[order["workload"]]
    frames = {}
    for name in workload.inputs:
        stream = spark.readStream.format("kafka").option("subscribe", order["topics"][name])
        stream = stream.option("kafka.bootstrap.servers", order["servers"])
        records = stream.option("startingOffsets", "earliest").load()
        frames[name] = json_columns(records, SCHEMA)
    writer = (
        as_json(workload.build(frames))
        .writeStream.format("kafka")
        .option("kafka.bootstrap.servers", order["servers"])
        .option("topic", order["topics"]["out"])
        .option("checkpointLocation", str(Path(order["folder"]) / "checkpoint"))
        .options(**tuning.options)
    )
    if tuning.real_time:
        # its stubs do not know of it yet
        return writer.outputMode("update").trigger(realTime=tuning.real_time)  # type: ignore[call-overload]
    return writer.outputMode(workload.output_mode)


if __name__ == "__main__":
    run_query(start, figures)
