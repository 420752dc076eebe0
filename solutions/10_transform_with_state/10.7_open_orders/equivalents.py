"""Other right ways to read the three."""

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F


def list_in_one_piece(spark: SparkSession, checkpoint: str) -> DataFrame:
    """Has the reader leave each list as an array, and takes its size."""

    def read(**options: str) -> DataFrame:
        return spark.read.format("statestore").options(**options).load(checkpoint)

    lists = read(stateVarName="changes", flattenCollectionTypes="false")
    names = read(stateVarName="customer")
    timers = read(readRegisteredTimers="true")
    return (
        timers.select("key.order_id", F.timestamp_millis("expiration_timestamp_ms").alias("due"))
        .join(names.select("key.order_id", F.col("value.name").alias("customer")), "order_id")
        .join(lists.select("key.order_id", F.size("list_value").alias("changes")), "order_id")
    )


def in_sql(spark: SparkSession, checkpoint: str) -> DataFrame:
    """Three views, and one query over them."""

    def view(name: str, option: str, value: str) -> None:
        frame = spark.read.format("statestore").option(option, value).load(checkpoint)
        frame.createOrReplaceTempView(name)

    view("customers", "stateVarName", "customer")
    view("changes", "stateVarName", "changes")
    view("timers", "readRegisteredTimers", "true")
    return spark.sql(
        "SELECT c.key.order_id, first(c.value.name) AS customer, count(*) AS changes, "
        "timestamp_millis(first(t.expiration_timestamp_ms)) AS due "
        "FROM customers c JOIN timers t ON c.key = t.key JOIN changes l ON c.key = l.key "
        "GROUP BY c.key.order_id"
    )
