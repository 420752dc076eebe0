"""The query under measurement, in a process of its own: it tells of each batch in a line of JSON."""

from __future__ import annotations

import json
import select
import sys
from pathlib import Path
from typing import Any

from grader.latency.tuning import Tuning
from grader.latency.workloads import SCHEMA, WORKLOADS

POLL_SECONDS = 0.1


def main() -> None:
    """Run until standard input closes; the order is one line of JSON there."""
    order = json.loads(sys.stdin.readline())
    tuning = Tuning(**order["tuning"])
    from grader.runtime.spark_session import spark_session, stop_spark

    spark = spark_session(fast=False, extra_conf=tuning.conf)
    query = _writer(spark, order, tuning).start()
    tell(ready=True)
    told = -1
    while not select.select([sys.stdin], [], [], POLL_SECONDS)[0]:
        told = _tell_new(query, told)
        if (error := query.exception()) is not None:
            tell(failed=str(error))
            break
    query.stop()
    _tell_new(query, told)
    stop_spark(seconds=2)


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


def _tell_new(query: Any, told: int) -> int:
    for progress in [json.loads(p.json) for p in query.recentProgress]:
        if progress["batchId"] > told and "triggerExecution" in progress["durationMs"]:
            told = progress["batchId"]
            seconds = {name: took / 1000 for name, took in progress["durationMs"].items()}
            whole = seconds.pop("triggerExecution")
            tell(batch=told, rows=progress["numInputRows"], seconds=whole, parts=seconds)
    return told


def tell(**what: Any) -> None:
    print(json.dumps(what), flush=True)


if __name__ == "__main__":
    main()
