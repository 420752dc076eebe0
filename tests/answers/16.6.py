"""Answers to 16.6: other right repairs, and some that are half or make something else wrong."""

from typing import Any

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.streaming.readwriter import DataStreamWriter


def right_in_expressions(spark: SparkSession, kafka: Any) -> DataStreamWriter:
    """Key and value by selectExpr, the key as bytes; the limit is compared as the text that it is."""
    records = spark.readStream.format("kafka").load(
        **{
            "kafka.bootstrap.servers": kafka.bootstrap_servers,
            "subscribe": kafka.topic("clicks"),
            "startingOffsets": "earliest",
            "maxOffsetsPerTrigger": "1000000",
        }
    )
    schema = "pageId STRING, eventTime TIMESTAMP"
    counts = (
        records.selectExpr(f"from_json(cast(value AS string), '{schema}') AS c")
        .selectExpr("c.pageId AS page", "c.eventTime AS at")
        .where("page IS NOT NULL AND at IS NOT NULL")
        .withWatermark("at", "5 seconds")
        .groupBy(F.window("at", "5 seconds"), "page")
        .count()
    )
    alarms = counts.where(F.col("count") > spark.conf.get("shop.limit")).selectExpr(
        "cast(page AS binary) AS key",
        "to_json(named_struct('page', page, 'start', window.start, 'clicks', count)) AS value",
    )
    sink = alarms.writeStream.format("kafka").outputMode("update")
    sink = sink.option("topic", kafka.topic("alarms"))
    return sink.option("kafka.bootstrap.servers", kafka.bootstrap_servers)


def right_window_as_a_column(spark: SparkSession, kafka: Any) -> DataStreamWriter:
    """The JSON by json_tuple, the window as a column, the topic as one, too."""
    both = F.json_tuple(F.col("value").cast("string"), "pageId", "eventTime")
    hot = (
        spark.readStream.format("kafka")
        .options(startingOffsets="earliest", subscribe=kafka.topic("clicks"))
        .option("kafka.bootstrap.servers", kafka.bootstrap_servers)
        .load()
        .select(both.alias("page", "said"))
        .select("page", F.col("said").try_cast("timestamp").alias("event_time"))
        .dropna()
        .withWatermark("event_time", "5 seconds")
        .select("page", F.window("event_time", "5 seconds").alias("w"))
        .groupBy("page", "w")
        .agg(F.count(F.lit(1)).alias("clicks"))
        .filter(F.col("clicks") >= int(spark.conf.get("shop.limit")) + 1)
    )
    value = F.to_json(F.struct("page", F.col("w.start"), "clicks"))
    records = hot.select(
        F.lit(kafka.topic("alarms")).alias("topic"),
        F.col("page").alias("key"),
        value.alias("value"),
    )
    return (
        records.writeStream.option("kafka.bootstrap.servers", kafka.bootstrap_servers)
        .outputMode("update")
        .format("kafka")
    )


def right_written_batch_by_batch(spark: SparkSession, kafka: Any) -> DataStreamWriter:
    """Hands the alarms to foreachBatch, which looks whether there are any and writes them."""
    servers, topic = kafka.bootstrap_servers, kafka.topic("alarms")
    hot = _hot(spark, _clicks(spark, kafka))

    def write(batch: DataFrame, number: int) -> None:
        alarms = _records(batch).persist()
        if alarms.head(1):
            sink = alarms.write.format("kafka").option("kafka.bootstrap.servers", servers)
            sink.option("topic", topic).save()
        alarms.unpersist()

    return hot.writeStream.foreachBatch(write).outputMode("update")


def right_times_read_afterwards(spark: SparkSession, kafka: Any) -> DataStreamWriter:
    """The JSON as two texts, the time read by try_to_timestamp; windows slide by their length."""
    click = F.from_json(F.col("value").cast("string"), "eventTime STRING, pageId STRING")
    clicks = (
        _records_of(spark, kafka)
        .withColumn("c", click)
        .withColumn("page", F.col("c.pageId"))
        .withColumn("event_time", F.try_to_timestamp("c.eventTime"))
        .filter(F.col("page").isNotNull())
        .withWatermark("event_time", "5000 milliseconds")
    )
    window = F.window("event_time", "5 seconds", "5 seconds").alias("window")
    counts = clicks.groupBy("page", window).agg(F.sum(F.lit(1)).alias("clicks"))
    return _sent(counts.where(F.col("clicks") > int(spark.conf.get("shop.limit"))), kafka)


def _records_of(spark: SparkSession, kafka: Any, **options: str) -> DataFrame:
    reader = (
        spark.readStream.format("kafka")
        .option("kafka.bootstrap.servers", kafka.bootstrap_servers)
        .option("subscribe", kafka.topic("clicks"))
    )
    return reader.options(**(options or {"startingOffsets": "earliest"})).load()


def _clicks(spark: SparkSession, kafka: Any, **options: str) -> DataFrame:
    click = F.from_json(F.col("value").cast("string"), "pageId STRING, eventTime TIMESTAMP")
    return (
        _records_of(spark, kafka, **options)
        .select(click.alias("c"), "timestamp")
        .selectExpr("c.pageId AS page", "c.eventTime AS event_time", "timestamp")
        .where("page IS NOT NULL")
    )


def _hot(
    spark: SparkSession, clicks: DataFrame, delay: str = "5 seconds", over: Column | None = None
) -> DataFrame:
    limit = int(spark.conf.get("shop.limit"))
    counts = (
        clicks.withWatermark("event_time", delay)
        .groupBy("page", F.window("event_time", "5 seconds"))
        .agg(F.count("*").alias("clicks"))
    )
    return counts.where(F.col("clicks") > limit if over is None else over)


def _records(hot: DataFrame, key: Column | None = None) -> DataFrame:
    value = F.to_json(F.struct("page", F.col("window.start").alias("start"), "clicks"))
    return hot.select((F.col("page") if key is None else key).alias("key"), value.alias("value"))


def _sent(hot: DataFrame, kafka: Any, key: Column | None = None) -> DataStreamWriter:
    return _to_topic(_records(hot, key), kafka)


def _to_topic(records: DataFrame, kafka: Any) -> DataStreamWriter:
    return (
        records.writeStream.format("kafka")
        .option("kafka.bootstrap.servers", kafka.bootstrap_servers)
        .option("topic", kafka.topic("alarms"))
        .outputMode("update")
    )


def wrong_more_than_one_over(spark: SparkSession, kafka: Any) -> DataStreamWriter:
    """Makes > of ==, and leaves the 1 where it is: one click over the limit is not told."""
    limit = int(spark.conf.get("shop.limit"))
    over = F.col("clicks") > limit + 1
    return _sent(_hot(spark, _clicks(spark, kafka), over=over), kafka)


def wrong_two_lines_of_four(spark: SparkSession, kafka: Any) -> DataStreamWriter:
    """Mends where it begins and whose clock it goes by; copies and the just-over stay."""
    limit = int(spark.conf.get("shop.limit"))
    clicks = _clicks(spark, kafka).dropDuplicates(["page", "event_time"])
    return _sent(_hot(spark, clicks, over=F.col("clicks") == limit + 1), kafka)


def wrong_copies_within_the_watermark(spark: SparkSession, kafka: Any) -> DataStreamWriter:
    """Mends dropDuplicates by letting it forget: two clicks in a moment are still one."""
    timed = _clicks(spark, kafka).withWatermark("event_time", "5 seconds")
    once = timed.dropDuplicatesWithinWatermark(["page", "event_time"])
    counts = once.groupBy("page", F.window("event_time", "5 seconds")).agg(
        F.count("*").alias("clicks")
    )
    return _sent(counts.where(F.col("clicks") > int(spark.conf.get("shop.limit"))), kafka)


def wrong_told_once_by_a_set(spark: SparkSession, kafka: Any) -> DataStreamWriter:
    """Keeps in a variable which alarms were told: none is told again when its count changes."""
    servers, topic, told = kafka.bootstrap_servers, kafka.topic("alarms"), set()
    hot = _hot(spark, _clicks(spark, kafka))

    def write(batch: DataFrame, number: int) -> None:
        new = [row for row in batch.collect() if (row.page, row.window.start) not in told]
        told.update((row.page, row.window.start) for row in new)
        if new:
            alarms = _records(batch.sparkSession.createDataFrame(new, batch.schema))
            sink = alarms.write.format("kafka").option("kafka.bootstrap.servers", servers)
            sink.option("topic", topic).save()

    return hot.writeStream.foreachBatch(write).outputMode("update")


def wrong_a_key_with_the_window(spark: SparkSession, kafka: Any) -> DataStreamWriter:
    """Makes the key one of page and window; it is to stay as it is."""
    key = F.concat_ws(" ", "page", F.unix_seconds("window.start").cast("string"))
    return _sent(_hot(spark, _clicks(spark, kafka)), kafka, key)


def wrong_the_end_as_well(spark: SparkSession, kafka: Any) -> DataStreamWriter:
    """Puts the end of the window into the value, as in 16.1; it is to stay as it is."""
    hot = _hot(spark, _clicks(spark, kafka)).select("page", "window.*", "clicks")
    value = F.to_json(F.struct("page", "start", "end", "clicks"))
    return _to_topic(hot.select(F.col("page").alias("key"), value.alias("value")), kafka)


def wrong_all_of_them_each_time(spark: SparkSession, kafka: Any) -> DataStreamWriter:
    """Complete mode: every batch tells of all alarms there ever were, and nothing is forgotten."""
    return _sent(_hot(spark, _clicks(spark, kafka)), kafka).outputMode("complete")


def wrong_minutes_of_patience(spark: SparkSession, kafka: Any) -> DataStreamWriter:
    """Minutes for seconds: clicks that come too late are counted."""
    return _sent(_hot(spark, _clicks(spark, kafka), "5 minutes"), kafka)


def wrong_no_patience(spark: SparkSession, kafka: Any) -> DataStreamWriter:
    """A watermark without delay: clicks that are in time are dropped."""
    return _sent(_hot(spark, _clicks(spark, kafka), "0 seconds"), kafka)


def wrong_a_letter_short(spark: SparkSession, kafka: Any) -> DataStreamWriter:
    """startingOffset, with an s too few: the query begins at the end as before."""
    return _sent(_hot(spark, _clicks(spark, kafka, startingOffset="earliest")), kafka)


def wrong_arrival_for_a_missing_time(spark: SparkSession, kafka: Any) -> DataStreamWriter:
    """Mends times that are missing by the broker's clock, and so counts clicks without a time."""
    at = F.coalesce("event_time", "timestamp")
    clicks = _clicks(spark, kafka).withColumn("event_time", at)
    return _sent(_hot(spark, clicks), kafka)


def wrong_compared_as_text(spark: SparkSession, kafka: Any) -> DataStreamWriter:
    """Compares count and limit as texts: 12 is less than 3."""
    over = F.col("clicks").cast("string") > F.lit(spark.conf.get("shop.limit"))
    return _sent(_hot(spark, _clicks(spark, kafka), over=over), kafka)


def wrong_empty_is_no_page(spark: SparkSession, kafka: Any) -> DataStreamWriter:
    """Leaves out pages that are empty texts as well: four clicks with "pageId": "" in a window bring no alarm."""
    return _sent(_hot(spark, _clicks(spark, kafka).where("page != ''")), kafka)


def wrong_nothing_arrives_before_it_is_clicked(spark: SparkSession, kafka: Any) -> DataStreamWriter:
    """Leaves out clicks that are later than their record's timestamp: whose clock is fast has no clicks."""
    clicks = _clicks(spark, kafka).where("event_time <= timestamp")
    return _sent(_hot(spark, clicks), kafka)


def wrong_a_day_late_is_too_late(spark: SparkSession, kafka: Any) -> DataStreamWriter:
    """Leaves out what was on its way for a day, although the watermark would let it count."""
    clicks = _clicks(spark, kafka).where("timestamp <= event_time + INTERVAL 1 DAY")
    return _sent(_hot(spark, clicks), kafka)


def wrong_pages_without_their_query(spark: SparkSession, kafka: Any) -> DataStreamWriter:
    """Cuts a page off at its question mark."""
    clicks = _clicks(spark, kafka).withColumn("page", F.substring_index("page", "?", 1))
    return _sent(_hot(spark, clicks), kafka)


def wrong_pages_in_small_letters(spark: SparkSession, kafka: Any) -> DataStreamWriter:
    """Makes pages tidy: /Tea and /tea are one."""
    return _sent(_hot(spark, _clicks(spark, kafka).withColumn("page", F.lower("page"))), kafka)
