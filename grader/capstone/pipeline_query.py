"""The pipeline in its own process, which can be killed."""

from __future__ import annotations

from typing import Any

from grader.latency.query_process import run_query
from grader.replay.exercise_kafka import ExerciseKafka


def start(order: dict[str, Any]) -> Any:
    """Start what the pipeline's text defines."""
    from grader.runtime.spark_session import spark_session

    spark = spark_session(fast=order["fast"])
    for name, value in order["settings"].items():
        spark.conf.set(name, value)
    # as a program of its own: what it defines goes to Spark's workers by value
    namespace: dict[str, Any] = {"__name__": "__main__"}
    exec(compile(order["pipeline"], "pipeline.py", "exec", dont_inherit=True), namespace)
    writer = namespace["pipeline"](spark, ExerciseKafka(order["servers"], order["topics"]))
    return (
        writer.option("checkpointLocation", order["checkpoint"])
        .trigger(processingTime=order["trigger"])
        .start()
    )


def figures(progress: dict[str, Any]) -> dict[str, Any]:
    """Rows read, seconds, and what the operators kept and dropped."""
    operators = progress["stateOperators"]
    return {
        "rows": progress["numInputRows"],
        "seconds": progress["durationMs"]["triggerExecution"] / 1000,
        "state": sum(operator["numRowsTotal"] for operator in operators),
        "late": sum(operator["numRowsDroppedByWatermark"] for operator in operators),
    }


if __name__ == "__main__":
    run_query(start, figures)
