"""Private members of logical plans: parts of a plan, run on rows that are already read."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from grader.runtime.spark_internals.java_gateway import java
from grader.runtime.spark_internals.verified_spark import since

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


@since("3.2")
def calls_python(spark: SparkSession, plan: Any) -> bool:
    """Whether an expression of a plan's node, or of one below it, is a Python UDF."""
    python = java(spark).org.apache.spark.sql.catalyst.trees.TreePattern.PYTHON_UDF()
    return bool(plan.containsPattern(python))


@since("4.0")
def local_rows(spark: SparkSession, like: Any, rows: Any) -> Any:
    """A leaf with the columns of the node `like` that gives `rows` (Java's InternalRow[])."""
    jvm = java(spark)
    return jvm.org.apache.spark.sql.catalyst.plans.logical.LocalRelation(
        like.output(),
        jvm.scala.collection.immutable.ArraySeq.unsafeWrapArray(rows),
        False,
        jvm.scala.Option.empty(),
    )


@since("3.2")
def on_children(spark: SparkSession, plan: Any, children: Iterable[Any]) -> Any:
    """A plan's node on other children."""
    jvm = java(spark)
    found = jvm.java.util.ArrayList()
    for child in children:
        found.add(child)
    return plan.withNewChildren(jvm.org.apache.spark.api.python.PythonUtils.toSeq(found))


@since("4.0")
def frame_of_plan(spark: SparkSession, session: Any, plan: Any) -> DataFrame:
    """A frame of a logical plan; `session` is Java's session that it runs in."""
    from pyspark.sql import DataFrame

    dataset = java(spark).org.apache.spark.sql.classic.Dataset
    return DataFrame(dataset.ofRows(session, plan), spark)
