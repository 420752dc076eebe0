"""The plans of a query: what Spark made of it, and what ran in its batches."""

from __future__ import annotations

import hashlib
import re

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.streaming.query import StreamingQuery

from grader.replay.plan_tree import followed_columns, late_columns, plan_tree
from grader.runtime.spark_internals.query_internals import analyzed_plan, execution_of
from grader.runtime.spark_internals.session_internals import physical_plans
from grader.scenario.recording import Plan

# what differs between two runs of the same query
_PASSING = re.compile(
    r"#\d+L?|@[0-9a-f]+\b|[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f-]{22}|-[0-9a-f]{12}\b|\bplan_id=\d+"
    r"|bootstrap\.servers=[^\s\],]+|file:\S+"
    r"|(?<=CTERelationDef )\d+|(?<=CTERelationRef )\d+|(?<=_pyspark_)[0-9a-f]{32}"
    r"|(?<=lambda x)_\d+|(?<=transform\(array\()\d{4}-\d\d-\d\d [\d:.]+"  # the sink's batch time
)
_PYTHON = re.compile(r"InPandas|InArrow|InPython|PythonUDF|TransformWithState|pythonUDF")


def plan_of(frame: DataFrame) -> Plan:
    """What distinguishes mistakes in the analyzed plan of a learner's DataFrame."""
    text = analyzed_plan(frame)
    tree = plan_tree(text)
    nodes = list(tree.walk())
    joins = [node.text for node in nodes if node.name == "Join" and node.streams]
    return Plan(
        print=hashlib.sha256(_lasting(text).encode()).hexdigest()[:16],
        opaque=_PYTHON.search(text) is not None,
        watermarks=sorted({node.watermark for node in nodes if node.watermark}),
        followed=[followed_columns(node) for node in nodes if node.stateful],
        too_late=sorted(set(late_columns(tree))),
        joins=len(joins),
        bounded_joins=sum(bool(re.search(r"[<>]|between\(|window", join)) for join in joins),
    )


def _lasting(plan: str) -> str:
    """The text of a plan without what differs in every run."""
    return "\n".join(_PASSING.sub("", plan).splitlines())


def look_at(query: StreamingQuery, plan: Plan, *, own_sink: bool) -> None:
    """Add to a plan what only the started query shows: its mode, and a sink that is Python code."""
    started = execution_of(query)
    plan.output_mode = str(started.outputMode().toString()).lower()
    if own_sink and "Foreach" in str(started.sink().getClass().getName()):
        plan.opaque = True


def of_run(session: SparkSession, run_id: str) -> list[str]:
    """The physical plans of one run's batches, in order, without what differs in every run."""
    return [_lasting(plan) for plan in physical_plans(session, run_id)]
