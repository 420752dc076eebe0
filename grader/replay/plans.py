"""The physical plans that ran in a streaming query's batches, foreachBatch's own ones included."""

from __future__ import annotations

from pyspark.sql import SparkSession


def of_run(session: SparkSession, run_id: str) -> list[str]:
    """Physical plan texts (final ones, where adaptive execution replanned) of one run, in order.

    Source: Spark's own SQL status store; every SQL execution of a micro-batch carries the
    query's run id in its description.
    """
    store = session._jsparkSession.sharedState().statusStore()  # type: ignore[attr-defined]
    executions = store.executionsList()
    found = []
    for index in range(executions.size()):
        execution = executions.apply(index)
        if run_id in execution.description():
            found.append(execution.physicalPlanDescription())
    return found
