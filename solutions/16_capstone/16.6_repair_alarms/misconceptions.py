"""Repairs after which clicks or alarms are still missing, or state is never evicted."""

from typing import Any

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.streaming.readwriter import DataStreamWriter


def _read(spark: SparkSession, kafka: Any, start: str = "earliest") -> DataFrame:
    click = F.from_json(F.col("value").cast("string"), "pageId STRING, eventTime TIMESTAMP")
    records = (
        spark.readStream.format("kafka")
        .option("kafka.bootstrap.servers", kafka.bootstrap_servers)
        .option("subscribe", kafka.topic("clicks"))
        .option("startingOffsets", start)
        .option("kafka.fetch.max.wait.ms", 10)
        .load()
    )
    clicks = records.select(click.alias("c"), "timestamp").selectExpr(
        "c.pageId AS page", "c.eventTime AS event_time", "timestamp"
    )
    return clicks.where("page IS NOT NULL")


def _told(
    spark: SparkSession,
    kafka: Any,
    clicks: DataFrame,
    watermark: str | None = "event_time",
    over: Column | None = None,
    mode: str = "update",
    key: Column | None = None,
    delay: str = "5 seconds",
) -> DataStreamWriter:
    timed = clicks if watermark is None else clicks.withWatermark(watermark, delay)
    limit = int(spark.conf.get("shop.limit") or 0)
    counts = timed.groupBy("page", F.window("event_time", "5 seconds")).agg(
        F.count("*").alias("clicks")
    )
    hot = counts.where(F.col("clicks") > limit if over is None else over)
    value = F.to_json(F.struct("page", F.col("window.start").alias("start"), "clicks"))
    return (
        hot.select((F.col("page") if key is None else key).alias("key"), value.alias("value"))
        .writeStream.format("kafka")
        .option("kafka.bootstrap.servers", kafka.bootstrap_servers)
        .option("topic", kafka.topic("alarms"))
        .outputMode(mode)
    )


def as_it_was(spark: SparkSession, kafka: Any) -> DataStreamWriter:
    """No line repaired

    Hardly any alarm was written. Three kinds of clicks are still missing. They were sent before the first start, have
    the same time as others, or took a page over the limit within one micro-batch. Which line causes each
    of the three?
    """
    clicks = _read(spark, kafka, "latest").dropDuplicates(["page", "event_time"])
    limit = int(spark.conf.get("shop.limit") or 0)
    return _told(spark, kafka, clicks, "timestamp", F.col("clicks") == limit + 1)


def begins_at_the_end(spark: SparkSession, kafka: Any) -> DataStreamWriter:
    """Stream that begins at the end of the topic

    The clicks of step 1 are not counted. They were in the topic before the query started, and it began after
    them. Which value does `startingOffsets` need?
    """
    return _told(spark, kafka, _read(spark, kafka, "latest"))


def twins_taken_for_copies(spark: SparkSession, kafka: Any) -> DataStreamWriter:
    """Deduplication by page and time

    Two visitors clicked on a page in the same millisecond, and one of the clicks was not counted. Does a click
    contain anything that distinguishes a duplicate from another click?
    """
    clicks = _read(spark, kafka).withWatermark("event_time", "5 seconds")
    return _told(spark, kafka, clicks.dropDuplicates(["page", "event_time"]), None)


def by_the_brokers_clock(spark: SparkSession, kafka: Any) -> DataStreamWriter:
    """Watermark on a different column than the windows

    A click was counted although its window had closed, and after the last step {steps.6.state} counts are in
    state, expected {asked.steps.6.state}. Spark evicts a window by the watermark of the column from which the
    window is made. Which column is that?
    """
    return _told(spark, kafka, _read(spark, kafka), "timestamp")


def no_watermark(spark: SparkSession, kafka: Any) -> DataStreamWriter:
    """No watermark

    A click was counted although its window had closed, and after the last step {steps.6.state} counts are in
    state. Without a watermark Spark never evicts a window. Which column and which delay belong into
    `withWatermark`?
    """
    return _told(spark, kafka, _read(spark, kafka), None)


def only_just_over(spark: SparkSession, kafka: Any) -> DataStreamWriter:
    """Alarm at exactly one click over the limit

    Five clicks arrived at once, and no alarm was written. A micro-batch emits only the final count, so the
    count may never be exactly `limit + 1`. Which comparison is true for every count over the limit?
    """
    limit = int(spark.conf.get("shop.limit") or 0)
    return _told(spark, kafka, _read(spark, kafka), over=F.col("clicks") == limit + 1)


def at_the_limit(spark: SparkSession, kafka: Any) -> DataStreamWriter:
    """Limit included

    With a limit of 3, there is an alarm for 3 clicks. The task requires *more* than the limit. Which comparison
    do you need?
    """
    limit = int(spark.conf.get("shop.limit") or 0)
    return _told(spark, kafka, _read(spark, kafka), over=F.col("clicks") >= limit)


def limit_of_the_check(spark: SparkSession, kafka: Any) -> DataStreamWriter:
    """Limit of the check written into the code

    The result is right with a limit of 3, and the same pages were reported with a limit of 2. The setting
    `shop.limit` has the limit that is valid now. How does your query read it?
    """
    return _told(spark, kafka, _read(spark, kafka), over=F.col("clicks") > 3)


def when_all_is_over(spark: SparkSession, kafka: Any) -> DataStreamWriter:
    """Append mode

    Each alarm was written once, steps after its page went over the limit. Append mode emits a count only when
    its window has closed. Which output mode emits each change?
    """
    return _told(spark, kafka, _read(spark, kafka), mode="append")


def copies_taken_out_for_ever(spark: SparkSession, kafka: Any) -> DataStreamWriter:
    """Deduplication by page and time without a watermark

    Two visitors clicked on a page in the same millisecond, and one of the clicks was not counted. After the
    last step {steps.6.state} rows are in state, expected {asked.steps.6.state}, because `dropDuplicates` keeps
    every page and time. Which line should go?
    """
    clicks = _read(spark, kafka).dropDuplicates(["page", "event_time"])
    return _told(spark, kafka, clicks)


def empty_is_no_page(spark: SparkSession, kafka: Any) -> DataStreamWriter:
    """Empty page left out

    Four clicks with `"pageId": ""` are in one window of step 5, and no alarm was written for them. An empty
    string is a value, and null is not. Which condition removes only clicks without a page?
    """
    return _told(spark, kafka, _read(spark, kafka).where("page <> ''"))


def a_key_with_the_window(spark: SparkSession, kafka: Any) -> DataStreamWriter:
    """Key of the record changed

    The key of each record has the window in it. Existing readers expect the page alone as the key. Which line
    makes the key?
    """
    key = F.concat_ws(" ", "page", F.unix_seconds("window.start").cast("string"))
    return _told(spark, kafka, _read(spark, kafka), key=key)


def far_too_patient(spark: SparkSession, kafka: Any) -> DataStreamWriter:
    """Watermark delay of minutes

    A click was counted although its window had closed more than 5 seconds before. After step 4 the watermark of
    your query is {steps.4.delay} behind the newest click. How late may a click be?
    """
    return _told(spark, kafka, _read(spark, kafka), delay="5 minutes")


def not_patient_at_all(spark: SparkSession, kafka: Any) -> DataStreamWriter:
    """Watermark delay too short

    A click was dropped although its window had closed less than 5 seconds before. After step 3 the watermark of
    your query is {steps.3.delay} behind the newest click. How late may a click be?
    """
    return _told(spark, kafka, _read(spark, kafka), delay="0 seconds")
