"""Repairs after which the hours are still wrong, or are never emitted."""

from typing import Any

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.streaming.readwriter import DataStreamWriter

GUARD = "spark.sql.streaming.statefulOperator.checkCorrectness.enabled"


def _minutes(orders: DataFrame, delay: str = "1 minute") -> DataFrame:
    return (
        orders.withWatermark("order_time", delay)
        .groupBy(F.window("order_time", "1 minute"))
        .agg(F.sum("amount").alias("revenue"))
    )


def _hours(minutes: DataFrame, hour: Column) -> DataFrame:
    return minutes.groupBy(hour).agg(
        F.count("*").alias("minutes"),
        F.sum("revenue").alias("revenue"),
        F.max("revenue").alias("best"),
    )


def _to_hours(hours: DataFrame, kafka: Any) -> DataStreamWriter:
    return (
        hours.select(F.to_json(F.struct("*")).alias("value"))
        .writeStream.format("kafka")
        .option("kafka.bootstrap.servers", kafka.bootstrap_servers)
        .option("topic", kafka.topic("hours"))
    )


def drafts_are_added_up(spark: SparkSession, kafka: Any, orders: DataFrame) -> DataStreamWriter:
    """Drafts of a minute added up

    The hour from 09:00 was emitted several times, and its revenue contains an order more than once
    if its minute changed later. This is the effect of update mode on a chain. The first aggregation
    emits a minute at every change, and the second treats each draft as a new minute. Spark would
    reject this query, but a setting switches the check off. Which mode emits each minute once?
    """
    spark.conf.set(GUARD, "false")
    hours = _hours(_minutes(orders), F.window("window.start", "1 hour"))
    return _to_hours(hours, kafka).outputMode("update")


def only_the_setting_is_gone(
    spark: SparkSession, kafka: Any, orders: DataFrame
) -> DataStreamWriter:
    """Several stateful operators outside append mode

    Spark rejects several stateful operators in this mode, because the first could emit rows that it
    changes later. Spark is right. Which mode emits only final rows?
    """
    hours = _hours(_minutes(orders), F.window("window", "1 hour"))
    return _to_hours(hours, kafka).outputMode("update")


def append_and_the_start(spark: SparkSession, kafka: Any, orders: DataFrame) -> DataStreamWriter:
    """An aggregation that never becomes final

    Spark rejected the query. It is in append mode now, and there each aggregation must know when
    its rows are final. For at least one of yours Spark cannot tell. Update mode is no solution,
    because the drafts return with it. Is withWatermark before the first of the two, and is a window
    of event time among the keys of each? The fields `window.start` and `window.end` are plain
    timestamps, and so is a column of the DataFrame from before withWatermark. The column `window`
    as a whole is event time for Spark.
    """
    hours = _hours(_minutes(orders), F.window("window.start", "1 hour"))
    return _to_hours(hours, kafka).outputMode("append")


def a_second_watermark(spark: SparkSession, kafka: Any, orders: DataFrame) -> DataStreamWriter:
    """A second watermark, and no record

    Your query wrote no record, and after the last step it still has no watermark. Is there a
    withWatermark after the first grouping? It would wait for rows of that grouping, and the
    grouping would wait for a watermark. Neither ever arrives. One watermark, on the orders, is
    enough.
    """
    minutes = _minutes(orders).withWatermark("window", "1 minute")
    return _to_hours(_hours(minutes, F.window("window", "1 hour")), kafka).outputMode("append")


def all_of_it_each_time(spark: SparkSession, kafka: Any, orders: DataFrame) -> DataStreamWriter:
    """Complete mode: the whole result in every micro-batch

    Every hour was emitted in every micro-batch, and its numbers grow by everything that was counted
    before. Complete mode keeps all rows and emits all rows, also from the first aggregation to the
    second. Which mode emits each hour once?
    """
    spark.conf.set(GUARD, "false")
    hours = _hours(_minutes(orders), F.window("window", "1 hour"))
    return _to_hours(hours, kafka).outputMode("complete")


def each_batch_by_itself(spark: SparkSession, kafka: Any, orders: DataFrame) -> DataStreamWriter:
    """Hours of a single micro-batch

    The hour from 09:00 was emitted several times, each time with the minutes that closed in one
    micro-batch. A grouping inside foreachBatch keeps no state. If you group the stream itself, the
    hour waits until it is complete. Where is your second grouping?
    """

    def write(batch: DataFrame, _batch_id: int) -> None:
        hours = _hours(batch, F.window("window.start", "1 hour"))
        records = hours.select(F.to_json(F.struct("*")).alias("value"))
        sink = records.write.format("kafka").option("topic", kafka.topic("hours"))
        sink.option("kafka.bootstrap.servers", kafka.bootstrap_servers).save()

    return _minutes(orders).writeStream.outputMode("append").foreachBatch(write)


def one_window_of_an_hour(spark: SparkSession, kafka: Any, orders: DataFrame) -> DataStreamWriter:
    """Orders counted in place of minutes

    `minutes` counts orders, and `best` is the largest order. The hour also contains an order that
    is late for its minute. A row of the second aggregation must be a minute. What is a row in
    yours?
    """
    hours = (
        orders.withWatermark("order_time", "1 minute")
        .groupBy(F.window("order_time", "1 hour"))
        .agg(
            F.count("*").alias("minutes"),
            F.sum("amount").alias("revenue"),
            F.max("amount").alias("best"),
        )
    )
    return _to_hours(hours, kafka).outputMode("append")


def the_setting_stays(spark: SparkSession, kafka: Any, orders: DataFrame) -> DataStreamWriter:
    """Right records, with Spark's check off

    The records are right, and Spark's check of chained operators is still off. This query no longer
    needs that, and nothing will warn the next person who changes the mode. Which line switches the
    check off?
    """
    spark.conf.set(GUARD, "false")
    hours = _hours(_minutes(orders), F.window("window", "1 hour"))
    return _to_hours(hours, kafka).outputMode("append")


def ten_minutes_to_be_safe(spark: SparkSession, kafka: Any, orders: DataFrame) -> DataStreamWriter:
    """Watermark delay longer than the task allows

    After step 1 your watermark was {steps.1.delay} behind the newest order; the task allows
    {asked.steps.1.delay}. So your query counts an order that is late for its minute, and it emits
    every hour later. What is the lateness limit in the task?
    """
    hours = _hours(_minutes(orders, "10 minutes"), F.window("window", "1 hour"))
    return _to_hours(hours, kafka).outputMode("append")


def orders_with_an_amount_only(
    spark: SparkSession, kafka: Any, orders: DataFrame
) -> DataStreamWriter:
    """Orders without an amount left out

    The hour from 09:00 has one minute less than expected: the only order of the minute 09:45 has a
    null amount. The order is missing if a filter or `dropna` removes it, or if `minutes` counts the
    column `revenue`, which is null for that minute. What counts the rows of the second aggregation,
    whatever they contain?
    """
    minutes = _minutes(orders.where("amount IS NOT NULL"))
    return _to_hours(_hours(minutes, F.window("window", "1 hour")), kafka).outputMode("append")
