"""Repairs after which clicks or alarms are still missing, or never forgotten."""

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
) -> DataStreamWriter:
    timed = clicks if watermark is None else clicks.withWatermark(watermark, "5 seconds")
    limit = int(spark.conf.get("shop.limit") or 0)
    counts = timed.groupBy("page", F.window("event_time", "5 seconds")).agg(
        F.count("*").alias("clicks")
    )
    hot = counts.where(F.col("clicks") > limit if over is None else over)
    value = F.to_json(F.struct("page", F.col("window.start").alias("start"), "clicks"))
    return (
        hot.select(F.col("page").alias("key"), value.alias("value"))
        .writeStream.format("kafka")
        .option("kafka.bootstrap.servers", kafka.bootstrap_servers)
        .option("topic", kafka.topic("alarms"))
        .outputMode(mode)
    )


def as_it_was(spark: SparkSession, kafka: Any) -> DataStreamWriter:
    """The alarms as they were

    Hardly an alarm came out. What was sent before the first start, what was clicked in one moment and what went over
    the limit at once is missing, all three as before.
    """
    clicks = _read(spark, kafka, "latest").dropDuplicates(["page", "event_time"])
    limit = int(spark.conf.get("shop.limit") or 0)
    return _told(spark, kafka, clicks, "timestamp", F.col("clicks") == limit + 1)


def begins_at_the_end(spark: SparkSession, kafka: Any) -> DataStreamWriter:
    """What was sent before the first start is missing

    The clicks of step 1 are in no count: they were in the topic when the query started, and it began behind them.
    """
    return _told(spark, kafka, _read(spark, kafka, "latest"))


def twins_taken_for_copies(spark: SparkSession, kafka: Any) -> DataStreamWriter:
    """Two clicks in one moment are one

    Where two people clicked on a page in the same millisecond, one of them was not counted. A click says nothing by
    which a copy could be told from another click.
    """
    clicks = _read(spark, kafka).withWatermark("event_time", "5 seconds")
    return _told(spark, kafka, clicks.dropDuplicates(["page", "event_time"]), None)


def by_the_brokers_clock(spark: SparkSession, kafka: Any) -> DataStreamWriter:
    """Nothing is ever forgotten

    A click that came too late was counted, and after the last step {steps.6.state} counts are kept where
    {asked.steps.6.state} is enough. The watermark is on another column than the one that the windows are made of.
    """
    return _told(spark, kafka, _read(spark, kafka), "timestamp")


def no_watermark(spark: SparkSession, kafka: Any) -> DataStreamWriter:
    """No window is ever over

    A click that came too late was counted, and after the last step {steps.6.state} counts are kept. There is no
    watermark any more, so nothing says when a window may be forgotten.
    """
    return _told(spark, kafka, _read(spark, kafka), None)


def only_just_over(spark: SparkSession, kafka: Any) -> DataStreamWriter:
    """A page that jumps over the limit is never told of

    Five clicks at once brought no alarm. A batch tells of a count as it is in the end, and nobody saw the moment at which it
    was just one over the limit.
    """
    limit = int(spark.conf.get("shop.limit") or 0)
    return _told(spark, kafka, _read(spark, kafka), over=F.col("clicks") == limit + 1)


def at_the_limit(spark: SparkSession, kafka: Any) -> DataStreamWriter:
    """Pages that only reach the limit are told of

    With a limit of 3 there is an alarm for 3 clicks. *More* than the limit is asked for.
    """
    limit = int(spark.conf.get("shop.limit") or 0)
    return _told(spark, kafka, _read(spark, kafka), over=F.col("clicks") >= limit)


def limit_of_the_check(spark: SparkSession, kafka: Any) -> DataStreamWriter:
    """The limit is written down

    It is right with 3, which is the limit of the first run, and told of the same pages when the limit was 2. The setting
    `shop.limit` says what holds: here one thing, in the shop another.
    """
    return _told(spark, kafka, _read(spark, kafka), over=F.col("clicks") > 3)


def when_all_is_over(spark: SparkSession, kafka: Any) -> DataStreamWriter:
    """Alarms when the run is over

    Each alarm came once, steps after its page went over the limit: in append mode a count waits until nothing can change
    it any more.
    """
    return _told(spark, kafka, _read(spark, kafka), mode="append")


def copies_taken_out_for_ever(spark: SparkSession, kafka: Any) -> DataStreamWriter:
    """Two clicks in one moment are one, and each moment is kept

    Where two people clicked on a page in the same millisecond, one of them was not counted. And after the last step
    {steps.6.state} rows are kept where {asked.steps.6.state} is enough: `dropDuplicates` remembers each page and time.
    """
    clicks = _read(spark, kafka).dropDuplicates(["page", "event_time"])
    return _told(spark, kafka, clicks)
