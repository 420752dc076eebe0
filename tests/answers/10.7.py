"""Answers to the question who has neither paid nor been reminded."""

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F


def _joined(spark: SparkSession, checkpoint: str, due: str, count: str = "count(*)") -> DataFrame:
    """The three variables of an order; `due` is made of the timer's milliseconds by an expression."""

    def read(**options: str) -> DataFrame:
        return spark.read.format("statestore").options(**options).load(checkpoint)

    names = read(stateVarName="customer").selectExpr("key.order_id", "value.name AS customer")
    changes = (
        read(stateVarName="changes").groupBy("key.order_id").agg(F.expr(count).alias("changes"))
    )
    timers = read(readRegisteredTimers="true").selectExpr(
        "key.order_id", "expiration_timestamp_ms AS ms"
    )
    found = timers.select("order_id", F.expr(due).alias("due"))
    return names.join(changes, "order_id").join(found, "order_id")


def right_due_by_a_cast_of_a_fraction(spark: SparkSession, checkpoint: str) -> DataFrame:
    """A cast of seconds with their fraction."""
    return _joined(spark, checkpoint, "CAST(ms / 1000 AS TIMESTAMP)")


def wrong_due_cast_to_long(spark: SparkSession, checkpoint: str) -> DataFrame:
    """Whole seconds: a timestamp becomes a long and a timestamp again."""
    return _joined(spark, checkpoint, "CAST(CAST(timestamp_millis(ms) AS LONG) AS TIMESTAMP)")


def wrong_from_unixtime(spark: SparkSession, checkpoint: str) -> DataFrame:
    """from_unixtime has no fraction."""
    return _joined(spark, checkpoint, "CAST(from_unixtime(CAST(ms / 1000 AS LONG)) AS TIMESTAMP)")


def wrong_changes_of_one_moment_once(spark: SparkSession, checkpoint: str) -> DataFrame:
    """Counts the different times of the list: of two changes in one millisecond only one."""
    return _joined(spark, checkpoint, "timestamp_millis(ms)", "count(DISTINCT list_element.ms)")
