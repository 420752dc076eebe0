"""Repairs after which the hours are still wrong, or do not come at all."""

from typing import Any

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.streaming.readwriter import DataStreamWriter

GUARD = "spark.sql.streaming.statefulOperator.checkCorrectness.enabled"


def _minutes(orders: DataFrame) -> DataFrame:
    return (
        orders.withWatermark("order_time", "1 minute")
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
    """Drafts of a minute are added up

    The hour from 09:00 was told several times, and an order whose minute changed later is in its
    revenue more than once. That is what update mode does to a chain: the first aggregation hands
    on a minute at every change, and the second takes each draft for a new minute. Spark would
    refuse this; a setting keeps it from looking.
    """
    spark.conf.set(GUARD, "false")
    hours = _hours(_minutes(orders), F.window("window.start", "1 hour"))
    return _to_hours(hours, kafka).outputMode("update")


def only_the_setting_is_gone(
    spark: SparkSession, kafka: Any, orders: DataFrame
) -> DataStreamWriter:
    """Not in append mode, and Spark refuses

    Spark will not run several stateful operators in this mode, as the first could hand on rows
    that it changes later. It is right. Which mode hands on final rows alone?
    """
    hours = _hours(_minutes(orders), F.window("window", "1 hour"))
    return _to_hours(hours, kafka).outputMode("update")


def append_and_the_start(spark: SparkSession, kafka: Any, orders: DataFrame) -> DataStreamWriter:
    """An aggregation without an end that Spark can see

    Spark refused the query: it is in append mode now, and there each aggregation must know when a
    row of it is final. Of at least one Spark cannot tell. Update mode is no way out: with it the
    drafts come back. Does withWatermark stand before the first of the two, and is there among the
    keys of each a window of event time? `window.start`, `window.end` and a column of the DataFrame
    from before withWatermark are plain timestamps; `window` as a whole is what Spark knows for event
    time.
    """
    hours = _hours(_minutes(orders), F.window("window.start", "1 hour"))
    return _to_hours(hours, kafka).outputMode("append")


def a_second_watermark(spark: SparkSession, kafka: Any, orders: DataFrame) -> DataStreamWriter:
    """No watermark, and no record

    No record came, and after the last step the query still has no watermark. Is there a withWatermark
    behind the first grouping? It would wait for rows of that grouping, and the grouping for a
    watermark: neither ever comes. One watermark, on the orders, is enough.
    """
    minutes = _minutes(orders).withWatermark("window", "1 minute")
    return _to_hours(_hours(minutes, F.window("window", "1 hour")), kafka).outputMode("append")


def all_of_it_each_time(spark: SparkSession, kafka: Any, orders: DataFrame) -> DataStreamWriter:
    """The whole result, over and over

    Every hour that there is was told in every batch, and its figures grow by all that was counted
    before. Complete mode keeps everything and hands on everything, from the first aggregation to
    the second as well.
    """
    spark.conf.set(GUARD, "false")
    hours = _hours(_minutes(orders), F.window("window", "1 hour"))
    return _to_hours(hours, kafka).outputMode("complete")


def each_batch_by_itself(spark: SparkSession, kafka: Any, orders: DataFrame) -> DataStreamWriter:
    """Hours of one batch each

    The hour from 09:00 came out several times, each time with the minutes that were finished in
    one batch. Inside foreachBatch a grouping remembers nothing. Group the stream itself, and the
    hour waits until it is complete.
    """

    def write(batch: DataFrame, _batch_id: int) -> None:
        hours = _hours(batch, F.window("window.start", "1 hour"))
        records = hours.select(F.to_json(F.struct("*")).alias("value"))
        sink = records.write.format("kafka").option("topic", kafka.topic("hours"))
        sink.option("kafka.bootstrap.servers", kafka.bootstrap_servers).save()

    return _minutes(orders).writeStream.outputMode("append").foreachBatch(write)


def one_window_of_an_hour(spark: SparkSession, kafka: Any, orders: DataFrame) -> DataStreamWriter:
    """Figures of orders, not of minutes

    `minutes` counts orders and `best` is the greatest order; and an order that the minutes would
    turn away as late is in the hour. A row of the second aggregation has to be a minute.
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
    """Right, with the check switched off

    The records are right, and Spark's check of chained operators is still off. Nothing in this
    query needs it off any more, and whoever changes the mode next will not be told.
    """
    spark.conf.set(GUARD, "false")
    hours = _hours(_minutes(orders), F.window("window", "1 hour"))
    return _to_hours(hours, kafka).outputMode("append")
