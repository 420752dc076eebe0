"""Ways in which the state is misread."""

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F


def _customers(spark: SparkSession, checkpoint: str, **options: str) -> DataFrame:
    reader = spark.read.format("statestore").option("stateVarName", "customer")
    return (
        reader.options(**options)
        .load(checkpoint)
        .select("key.order_id", F.col("value.name").alias("customer"))
    )


def _changes(spark: SparkSession, checkpoint: str, **options: str) -> DataFrame:
    reader = spark.read.format("statestore").option("stateVarName", "changes")
    return (
        reader.options(**options)
        .load(checkpoint)
        .select("key.order_id", F.col("list_element.ms").alias("ms"))
    )


def _timers(spark: SparkSession, checkpoint: str, **options: str) -> DataFrame:
    reader = spark.read.format("statestore").option("readRegisteredTimers", "true")
    return (
        reader.options(**options)
        .load(checkpoint)
        .select("key.order_id", F.col("expiration_timestamp_ms").alias("ms"))
    )


def _counted(changes: DataFrame) -> DataFrame:
    return changes.groupBy("order_id").agg(F.count("*").cast("int").alias("changes"))


def time_of_the_last_change(spark: SparkSession, checkpoint: str) -> DataFrame:
    """The last change in place of the reminder

    What stands in `due` is when the order was last changed, half an hour before its reminder. When
    that is due the timers say.
    """
    changes = _changes(spark, checkpoint)
    due = changes.groupBy("order_id").agg(F.timestamp_millis(F.max("ms")).alias("due"))
    found = _customers(spark, checkpoint).join(_counted(changes), "order_id")
    return found.join(due, "order_id").select("order_id", "customer", "changes", "due")


def a_row_for_each_change(spark: SparkSession, checkpoint: str) -> DataFrame:
    """An order for each of its changes

    An order that was changed stands there more than once. The reader gives a row for each entry of a
    list; you are asked for one row an order, and how many entries it has.
    """
    found = _customers(spark, checkpoint).join(_changes(spark, checkpoint), "order_id")
    due = _timers(spark, checkpoint).select("order_id", F.timestamp_millis("ms").alias("due"))
    return found.join(due, "order_id").select(
        "order_id", "customer", F.lit(1).alias("changes"), "due"
    )


def stays_at_the_first_batch(spark: SparkSession, checkpoint: str) -> DataFrame:
    """Always reads the same state

    After the later steps the table is still that of step 1. Either the option batchId pins the reader
    to one version of the state (without it you get the newest), or what was read once is kept, in a
    cache or a variable, and not read again.
    """
    then = {"batchId": "0"}
    due = _timers(spark, checkpoint, **then).select(
        "order_id", F.timestamp_millis("ms").alias("due")
    )
    found = _customers(spark, checkpoint, **then).join(due, "order_id")
    return found.join(_counted(_changes(spark, checkpoint, **then)), "order_id").select(
        "order_id", "customer", "changes", "due"
    )


def changes_of_the_customer(spark: SparkSession, checkpoint: str) -> DataFrame:
    """The changes of all orders of a customer

    ana has two open orders, and each has the changes of both. What belongs together in this state is
    what has the same key, and the key is the order.
    """
    customers = _customers(spark, checkpoint)
    per_customer = (
        customers.join(_changes(spark, checkpoint), "order_id")
        .groupBy("customer")
        .agg(F.count("*").cast("int").alias("changes"))
    )
    due = _timers(spark, checkpoint).select("order_id", F.timestamp_millis("ms").alias("due"))
    return (
        customers.join(per_customer, "customer")
        .join(due, "order_id")
        .select("order_id", "customer", "changes", "due")
    )


def without_the_order_itself(spark: SparkSession, checkpoint: str) -> DataFrame:
    """One change too few

    `changes` is one less than the list is long. The task counts all that is in the list, the first
    entry included.
    """
    due = _timers(spark, checkpoint).select("order_id", F.timestamp_millis("ms").alias("due"))
    counted = _counted(_changes(spark, checkpoint)).withColumn("changes", F.col("changes") - 1)
    found = _customers(spark, checkpoint).join(counted, "order_id")
    return found.join(due, "order_id").select("order_id", "customer", "changes", "due")


def whole_seconds(spark: SparkSession, checkpoint: str) -> DataFrame:
    """The fraction of a second is gone

    o1's reminder is due at 12:38:00.25, and `due` has only the whole second. The timer's milliseconds have
    it; a cast to long, a division by whole numbers or from_unixtime cuts it off.
    """
    due = _timers(spark, checkpoint).select(
        "order_id", F.timestamp_seconds(F.floor(F.col("ms") / 1000)).alias("due")
    )
    found = _customers(spark, checkpoint).join(_counted(_changes(spark, checkpoint)), "order_id")
    return found.join(due, "order_id").select("order_id", "customer", "changes", "due")
