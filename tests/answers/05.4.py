"""Answers to 05.4, the hours that grow too big."""

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


def _hours(minutes: DataFrame) -> DataFrame:
    return minutes.groupBy(F.window("window", "1 hour")).agg(
        F.count("*").alias("minutes"),
        F.sum("revenue").alias("revenue"),
        F.max("revenue").alias("best"),
    )


def _to_hours(rows: DataFrame, kafka: Any) -> DataStreamWriter:
    return (
        rows.select(F.to_json(F.struct("*")).alias("value"))
        .writeStream.format("kafka")
        .option("kafka.bootstrap.servers", kafka.bootstrap_servers)
        .option("topic", kafka.topic("hours"))
    )


def right_setting_switched_on(
    spark: SparkSession, kafka: Any, orders: DataFrame
) -> DataStreamWriter:
    """Switches the check on by name, with "True".

    Spark reads it as true.
    """
    spark.conf.set(GUARD, "True")
    return _to_hours(_hours(_minutes(orders)), kafka).outputMode("append")


def right_setting_switched_on_with_a_bool(
    spark: SparkSession, kafka: Any, orders: DataFrame
) -> DataStreamWriter:
    """Switches the check on by name, with Python's True."""
    spark.conf.set(GUARD, True)
    return _to_hours(_hours(_minutes(orders)), kafka).outputMode("append")


def right_topic_as_a_column(spark: SparkSession, kafka: Any, orders: DataFrame) -> DataStreamWriter:
    """The topic as a column, a name and a trigger of its own, numbers of other types, SQL for the hours."""
    _minutes(orders).createOrReplaceTempView("minutes")
    hours = spark.sql(
        "SELECT max(revenue) AS best, cast(sum(revenue) AS decimal(20, 2)) AS revenue, "
        "cast(count(1) AS int) AS minutes, window(window, '1 hour') AS window "
        "FROM minutes GROUP BY window(window, '1 hour')"
    )
    records = hours.select(
        F.lit(kafka.topic("hours")).alias("topic"),
        F.to_json(F.struct("window", "minutes", "revenue", "best")).alias("value"),
    )
    return (
        records.writeStream.format("kafka")
        .option("kafka.bootstrap.servers", kafka.bootstrap_servers)
        .queryName("hours")
        .trigger(processingTime="5 seconds")
    )


def right_minutes_without_amount_are_zero(
    spark: SparkSession, kafka: Any, orders: DataFrame
) -> DataStreamWriter:
    """A minute whose orders have no amount has a revenue of 0.

    Open in the text: "it brings no money" may be null or 0. It shows only in an hour in which no minute has a
    positive revenue (best), or none any amount; there is none in the events.
    """
    minutes = _minutes(orders).withColumn("revenue", F.coalesce("revenue", F.lit(0.0)))
    return _to_hours(_hours(minutes), kafka).outputMode("append")


def wrong_another_check_switched_off(
    spark: SparkSession, kafka: Any, orders: DataFrame
) -> DataStreamWriter:
    """Right, with all of Spark's checks of unsupported operations switched off by another setting.

    The task: "without switching off what Spark checks".
    """
    spark.conf.set("spark.sql.streaming.unsupportedOperationCheck", "false")
    return _to_hours(_hours(_minutes(orders)), kafka).outputMode("append")


def _hours_of(orders: DataFrame, hour: Column) -> DataFrame:
    minutes = (
        orders.withWatermark("order_time", "1 minute")
        .groupBy(F.window("order_time", "1 minute"))
        .agg(F.sum("amount").alias("revenue"))
    )
    return minutes.groupBy(hour).agg(
        F.count("*").alias("minutes"),
        F.sum("revenue").alias("revenue"),
        F.max("revenue").alias("best"),
    )


def _sent(rows: DataFrame, kafka: Any, topic: str, key: str | None = None) -> DataStreamWriter:
    value = F.to_json(F.struct("*"), {"ignoreNullFields": "false"}).alias("value")
    columns = [F.col(key).alias("key"), value] if key else [value]
    writer = rows.select(*columns).writeStream.format("kafka")
    writer = writer.option("kafka.bootstrap.servers", kafka.bootstrap_servers)
    return writer.option("topic", kafka.topic(topic))


def wrong_minutes_with_revenue_alone(
    spark: SparkSession, kafka: Any, orders: DataFrame
) -> DataStreamWriter:
    """Minutes with revenue alone."""
    hours = _hours_of(orders.where("amount IS NOT NULL"), F.window("window", "1 hour"))
    return _sent(hours, kafka, "hours").outputMode("append")


def wrong_the_start_of_the_hour_told(
    spark: SparkSession, kafka: Any, orders: DataFrame
) -> DataStreamWriter:
    """The start of the hour told."""
    hours = _hours_of(orders, F.window("window", "1 hour"))
    told = hours.withColumn("window", F.col("window.start"))
    return _sent(told, kafka, "hours").outputMode("append")


def wrong_started_by_itself(spark: SparkSession, kafka: Any, orders: DataFrame) -> Any:
    """Started by itself."""
    hours = _hours_of(orders, F.window("window", "1 hour"))
    return _sent(hours, kafka, "hours").outputMode("append").start()


def wrong_minutes_below_zero_left_out(
    spark: SparkSession, kafka: Any, orders: DataFrame
) -> DataStreamWriter:
    """Leaves out the minutes in which more money went back than came in."""
    minutes = _minutes(orders).where("revenue IS NULL OR revenue >= 0")
    return _to_hours(_hours(minutes), kafka).outputMode("append")


def wrong_minutes_below_zero_are_zero(
    spark: SparkSession, kafka: Any, orders: DataFrame
) -> DataStreamWriter:
    """Takes a minute in which more money went back than came in for one of no revenue."""
    revenue = F.when(F.col("revenue") < 0, 0.0).otherwise(F.col("revenue"))
    minutes = _minutes(orders).withColumn("revenue", revenue)
    return _to_hours(_hours(minutes), kafka).outputMode("append")
