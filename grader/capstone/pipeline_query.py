"""The pipeline in a process of its own, as it can be killed: it tells of each batch in a line of JSON."""

from __future__ import annotations

import json
import select
import sys
from typing import Any

from grader.replay.exercise_kafka import ExerciseKafka

POLL_SECONDS = 0.1


def main() -> None:
    """Run until standard input closes; the order is one line of JSON there."""
    order = json.loads(sys.stdin.readline())
    from grader.runtime.spark_session import spark_session, stop_spark

    spark = spark_session(fast=order["fast"])
    for name, value in order["settings"].items():
        spark.conf.set(name, value)
    # as a program of its own: what it defines goes to Spark's workers by value
    namespace: dict[str, Any] = {"__name__": "__main__"}
    exec(compile(order["pipeline"], "pipeline.py", "exec", dont_inherit=True), namespace)
    writer = namespace["pipeline"](spark, ExerciseKafka(order["servers"], order["topics"]))
    query = (
        writer.option("checkpointLocation", order["checkpoint"])
        .trigger(processingTime=order["trigger"])
        .start()
    )
    tell(ready=True)
    told = -1
    while not select.select([sys.stdin], [], [], POLL_SECONDS)[0]:
        told = _tell_new(query, told)
        if (error := query.exception()) is not None:
            tell(failed=str(error))
            break
    query.stop()
    stop_spark(seconds=2)


def _tell_new(query: Any, told: int) -> int:
    for progress in [json.loads(p.json) for p in query.recentProgress]:
        if progress["batchId"] > told and "triggerExecution" in progress["durationMs"]:
            told = progress["batchId"]
            tell(
                batch=told,
                rows=progress["numInputRows"],
                seconds=progress["durationMs"]["triggerExecution"] / 1000,
                state=sum(operator["numRowsTotal"] for operator in progress["stateOperators"]),
                late=sum(
                    operator["numRowsDroppedByWatermark"] for operator in progress["stateOperators"]
                ),
            )
    return told


def tell(**what: Any) -> None:
    print(json.dumps(what), flush=True)


if __name__ == "__main__":
    main()
