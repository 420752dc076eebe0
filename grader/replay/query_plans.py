"""The plans of a query: what Spark understood of it, and what ran in its batches."""

from __future__ import annotations

import hashlib
import re

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.streaming.query import StreamingQuery

from grader.runtime.spark_internals.query_internals import analyzed_plan, execution_of
from grader.runtime.spark_internals.session_internals import physical_plans
from grader.scenario.recording import Plan

# what differs between two runs of the same query
_PASSING = re.compile(
    r"#\d+L?|@[0-9a-f]+\b|[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f-]{22}|-[0-9a-f]{12}\b"
    r"|bootstrap\.servers=[^\s\],]+|file:\S+"
    r"|(?<=CTERelationDef )\d+|(?<=CTERelationRef )\d+|(?<=_pyspark_)[0-9a-f]{32}"
)
_NUMBERS = re.compile(r"#\d+L?|\bplan_id=\d+|(?<=CTE_)\d+")
_PYTHON = re.compile(r"InPandas|InArrow|InPython|PythonUDF|TransformWithState|pythonUDF")
_STATEFUL = re.compile(r"^[\s:|+-]*~?(Aggregate|Deduplicate|FlatMapGroups|TransformWithState|Join)")
_WATERMARK = re.compile(r"EventTimeWatermark [^,]*, `?(\w+)")


def plan_of(frame: DataFrame) -> Plan:
    """What tells one mistake from another in the analyzed plan of a learner's DataFrame."""
    text = analyzed_plan(frame)
    lines = _PASSING.sub("", text).splitlines()
    watermarks = [found for line in lines for found in _WATERMARK.findall(line)]
    stateful = [number for number, line in enumerate(lines) if _STATEFUL.search(line)]
    first = min(stateful, default=-1)  # a plan is written from the result down to the sources
    joins = [line for line in lines if re.search(r"~Join ", line)]
    return Plan(
        print=hashlib.sha256("\n".join(lines).encode()).hexdigest()[:16],
        opaque=_PYTHON.search(text) is not None,
        watermarks=sorted(set(watermarks)),
        too_late=sorted(
            {found for line in lines[: max(first, 0)] for found in _WATERMARK.findall(line)}
        ),
        joins=len(joins),
        bounded_joins=sum(bool(re.search(r"[<>]|between\(|window", line)) for line in joins),
    )


def look_at(query: StreamingQuery, plan: Plan, *, own_sink: bool) -> None:
    """Add to a plan what only the started query shows: its mode, and a sink that is Python code."""
    started = execution_of(query)
    plan.output_mode = str(started.outputMode().toString()).lower()
    if own_sink and "Foreach" in str(started.sink().getClass().getName()):
        plan.opaque = True


def of_run(session: SparkSession, run_id: str) -> list[str]:
    """The physical plans of one run's batches in order, without the numbers that differ from run to run."""
    return [_NUMBERS.sub("", plan) for plan in physical_plans(session, run_id)]
