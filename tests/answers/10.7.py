"""Answers to the question who has neither paid nor been reminded."""

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F


def _of(spark: SparkSession, checkpoint: str, variable: str) -> DataFrame:
    """The state of one variable."""
    reader = spark.read.format("statestore").option("stateVarName", variable)
    return reader.load(checkpoint)


def _joined(spark: SparkSession, checkpoint: str, due: str, count: str = "count(*)") -> DataFrame:
    """The three variables of an order; `due` is made of the timer's milliseconds by an expression."""
    names = _of(spark, checkpoint, "customer").selectExpr("key.order_id", "value.name AS customer")
    changes = (
        _of(spark, checkpoint, "changes")
        .groupBy("key.order_id")
        .agg(F.expr(count).alias("changes"))
    )
    timers = (
        spark.read.format("statestore")
        .option("readRegisteredTimers", True)
        .load(checkpoint)
        .selectExpr("key.order_id", "expiration_timestamp_ms AS ms")
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


def wrong_due_after_the_last_in_the_list(spark: SparkSession, checkpoint: str) -> DataFrame:
    """Half an hour after the change that came last, and not after the newest: one may have been overtaken."""
    names = _of(spark, checkpoint, "customer").selectExpr("key.order_id", "value.name AS customer")
    half_an_hour = 30 * 60 * 1000
    changes = (
        _of(spark, checkpoint, "changes")
        .groupBy("key.order_id")
        .agg(
            F.count("*").alias("changes"),
            F.timestamp_millis(F.last("list_element.ms") + half_an_hour).alias("due"),
        )
    )
    return names.join(changes, "order_id").select("order_id", "customer", "changes", "due")
