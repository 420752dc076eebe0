"""Ways to misread the state."""

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
    """Last change instead of the timer

    The values of `due` are the times of the last change, half an hour before the reminder. Which table of
    the state has the times of the timers?
    """
    changes = _changes(spark, checkpoint)
    due = changes.groupBy("order_id").agg(F.timestamp_millis(F.max("ms")).alias("due"))
    found = _customers(spark, checkpoint).join(_counted(changes), "order_id")
    return found.join(due, "order_id").select("order_id", "customer", "changes", "due")


def a_row_for_each_change(spark: SparkSession, checkpoint: str) -> DataFrame:
    """One row per change

    An order that was changed has more than one row. The reader returns a row for each entry of a list; the
    task wants one row per order, with the number of entries. What do you group by?
    """
    found = _customers(spark, checkpoint).join(_changes(spark, checkpoint), "order_id")
    due = _timers(spark, checkpoint).select("order_id", F.timestamp_millis("ms").alias("due"))
    return found.join(due, "order_id").select(
        "order_id", "customer", F.lit(1).alias("changes"), "due"
    )


def stays_at_the_first_batch(spark: SparkSession, checkpoint: str) -> DataFrame:
    """Always the same version of the state

    After the later steps the table is still that of step 1. Either the option `batchId` fixes the version;
    without it the reader uses the newest. Or what was read once is kept, in a cache or a variable. When do
    you read?
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
    """Changes counted per customer

    Ana has two open orders, and each has the changes of both. Entries with the same key belong together,
    and the key of this state is the order. What do you group and join by?
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
    """First entry of the list not counted

    The values of `changes` are one less than the length of the list. The task counts all entries, the first
    included. What do you subtract?
    """
    due = _timers(spark, checkpoint).select("order_id", F.timestamp_millis("ms").alias("due"))
    counted = _counted(_changes(spark, checkpoint)).withColumn("changes", F.col("changes") - 1)
    found = _customers(spark, checkpoint).join(counted, "order_id")
    return found.join(due, "order_id").select("order_id", "customer", "changes", "due")


def whole_seconds(spark: SparkSession, checkpoint: str) -> DataFrame:
    """Fraction of a second lost

    O1's reminder is due at 12:38:00.25, and `due` has only the whole second. The timer has milliseconds. A
    cast to long, an integer division or `from_unixtime` removes the fraction. Which function converts
    milliseconds?
    """
    due = _timers(spark, checkpoint).select(
        "order_id", F.timestamp_seconds(F.floor(F.col("ms") / 1000)).alias("due")
    )
    found = _customers(spark, checkpoint).join(_counted(_changes(spark, checkpoint)), "order_id")
    return found.join(due, "order_id").select("order_id", "customer", "changes", "due")
